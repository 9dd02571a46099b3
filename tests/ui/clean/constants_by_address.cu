// Constant variables that no kernel writes, though some ask for the addresses of others; and with streams that wait for each other.
//@ decided
__constant__ int at[4] = {0, 1, 2, 3};
__constant__ int other[4];
__constant__ int index_of;
__global__ void spoil(int *p) { p[threadIdx.x] = 1000; }
__global__ void use(int *out) { out[at[threadIdx.x]] = index_of; }

int main() {
  int *out, five = 5;
  void *p;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaGetSymbolAddress(&p, other);
  spoil<<<1, 4>>>((int *)p);
  use<<<1, 4>>>(out);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaMemcpyToSymbol(index_of, &five, sizeof(int));
  use<<<1, 4, 0, s>>>(out);
  cudaMemcpyToSymbol(index_of, &five, sizeof(int));
  use<<<1, 4, 0, s>>>(out);
  return cudaDeviceSynchronize();
}
