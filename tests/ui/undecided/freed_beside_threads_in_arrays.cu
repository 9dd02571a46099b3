//@ undecided: 1
// A loop frees memory that an array holds, which a thread may still use that it started in the iteration before.
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <vector>

__global__ void increment(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++;
}

void work(int *d, int n) { increment<<<(n + 511) / 512, 512>>>(d, n); }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), threads = atoi(argv[2]);
  if (n < 1 || threads < 1 || threads > 64) return 1;
  std::vector<std::thread> all;
  int *d[64];
  for (int i = 0; i < threads; i++) {
    cudaMalloc(&d[i], n * sizeof(int));
    if (i > 0) cudaFree(d[i - 1]);
    all.emplace_back(work, d[i], n);
  }
  for (auto &t : all) t.join();
  return 0;
}
