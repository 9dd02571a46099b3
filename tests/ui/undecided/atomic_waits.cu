//@ flags: -std=c++20
//@ undecided: 1
// A thread waits for an atomic variable (C++20), behind which it sees what another one stored before.
#include <atomic>
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>

__global__ void fill(float *p, int n) {
  int i = threadIdx.x;
  if (i < n) p[i] = 1;
}

std::atomic<int> ready(0);
std::atomic_flag also_ready;
int n = 10;

void run() {
  ready.wait(0);
  also_ready.wait(false);
  float *p;
  cudaMalloc(&p, 10 * sizeof(float));
  fill<<<1, 256>>>(p, n);
  cudaDeviceSynchronize();
}

int main(int argc, char **argv) {
  std::thread t(run);
  n = argc > 1 ? atoi(argv[1]) : 0;
  ready = 1;
  ready.notify_one();
  also_ready.test_and_set();
  also_ready.notify_one();
  t.join();
}
