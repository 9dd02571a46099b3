// Codes other than success that the program goes on with: an event that is not ready, memory that there is not enough of.
//@ undecided: 1
#include <cstdlib>
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 64 || n > 100000) return 1;
  int *a, *b;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaEvent_t e;
  cudaEventCreate(&e);
  k<<<1, 64>>>(a, 64);
  cudaEventRecord(e, 0);
  if (cudaEventQuery(e) == cudaErrorNotReady) k<<<1, 128>>>(a, 128);
  if (cudaMalloc(&b, n * sizeof(int)) != cudaSuccess) { k<<<1, 128>>>(a, 96); return 1; }
  k<<<1, 64>>>(b, 64);
  return cudaDeviceSynchronize();
}
