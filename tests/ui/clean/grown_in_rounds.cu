//@ decided
// A buffer that each round of a loop frees and allocates anew, larger than before: what is left has the last round's size.
#include <cstdlib>

__global__ void fill(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1;
}

__global__ void step(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x]++;
}

struct Buffer { int *data; int size; };

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 500) return 1;
  int *a;
  Buffer b;
  cudaMalloc(&a, sizeof(int));
  cudaMalloc(&b.data, sizeof(int));
  for (int i = 2; i <= n; i++) {
    step<<<1, 512>>>(a, i - 1);
    cudaFree(a);
    cudaMalloc(&a, i * sizeof(int));
    cudaMemset(a, 0, i * sizeof(int));
    cudaFree(b.data);
    b.size = i;
    cudaMalloc(&b.data, b.size * sizeof(int));
  }
  fill<<<1, 512>>>(a, n);
  fill<<<1, 512>>>(b.data, n);
  return cudaDeviceSynchronize();
}
