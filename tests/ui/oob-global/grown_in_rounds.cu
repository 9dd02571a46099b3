// As clean/grown_in_rounds.cu, but the loop stops one round too early, and uses what the round before allocated as if it were larger.
//@ undecided: 1
#include <cstdlib>

__global__ void fill(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1; //~ oob-global proved
}

__global__ void step(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x]++; //~ oob-global proved
}

// What rounds before the last one allocated is not followed.
__global__ void older(int *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 2;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 500) return 1;
  int *a, *before = nullptr, *kept;
  cudaMalloc(&a, sizeof(int));
  cudaMalloc(&kept, sizeof(int));
  for (int i = 2; i < n; i++) {
    step<<<1, 512>>>(a, i);
    cudaFree(a);
    cudaMalloc(&a, i * sizeof(int));
    before = kept;
    cudaMalloc(&kept, i * sizeof(int));
  }
  fill<<<1, 512>>>(a, n);
  if (n > 3) older<<<1, 512>>>(before, n - 1);
  return cudaDeviceSynchronize();
}
