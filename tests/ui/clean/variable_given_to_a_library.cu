//@ decided
// A library that is given one variable of the device does not write another.
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
__device__ int dev_n = 16, other = 3;
extern "C" void library_fills(int *p);
int main() {
  int n, *p;
  cudaMemcpyToSymbol(dev_n, &(n = 16), 4);
  cudaGetSymbolAddress((void **)&p, other);
  library_fills(p);
  cudaMemcpyFromSymbol(&n, dev_n, 4);
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
