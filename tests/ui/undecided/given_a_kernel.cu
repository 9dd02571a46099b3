// A library that is given a kernel may launch it with anything.
//@ undecided: 1
extern "C" void library_launches(void (*kernel)(int *, int), int *a);

__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  library_launches(k, a);
  k<<<1, 64>>>(a, 8);
  return cudaDeviceSynchronize();
}
