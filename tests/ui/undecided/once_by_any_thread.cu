//@ undecided: 2
// What threads do once, one of them does, with what it was given: neither a call that any of two threads may make first nor a static variable
// of a function is known by the thread that comes first here.
#include <cstdlib>
#include <cuda_runtime.h>
#include <mutex>
#include <thread>

__global__ void by_call(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++;
}

__global__ void by_static(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++;
}

std::once_flag once;
int *buffer;

void call(int n) {
  std::call_once(once, [n] { cudaMalloc(&buffer, n * sizeof(int)); });
  by_call<<<(n + 511) / 512, 512>>>(buffer, n);
}

int *make(int n) {
  int *p;
  cudaMalloc(&p, n * sizeof(int));
  return p;
}

void ask(int n) {
  static int *shared = make(n);
  by_static<<<(n + 511) / 512, 512>>>(shared, n);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  std::thread a(call, 2 * n), b(call, n);
  a.join();
  b.join();
  std::thread c(ask, 2 * n), d(ask, n);
  c.join();
  d.join();
  return 0;
}
