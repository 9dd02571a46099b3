// Each thread has variables of its own (`thread_local`): the size that one of them sets is not that of the others.
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>

__global__ void increment(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++; //~ oob-global proved
}

int *buffer = nullptr;
thread_local int capacity = 0;

void work(int n) {
  if (capacity < n) {
    cudaFree(buffer);
    cudaMalloc(&buffer, n * sizeof(int));
    capacity = n;
  }
  increment<<<(n + 511) / 512, 512>>>(buffer, n);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  std::thread a(work, 2 * n);
  a.join();
  std::thread b(work, n);
  b.join();
  capacity = 2 * n;
  work(2 * n);
  return 0;
}
