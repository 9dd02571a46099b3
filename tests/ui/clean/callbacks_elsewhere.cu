//@ decided
// CUDA and the C++ library, where they get a member of an object with virtual methods find none of these, nor anything before it.
#include <cstdio>
#include <iostream>

__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

struct Solver {
  virtual void run() { k<<<1, 64>>>(a, n); }
  virtual ~Solver() {}
  int *a;
  int n;
  cudaStream_t stream;
  cudaEvent_t event;
  double result;
};

int main() {
  Solver solver;
  cudaStreamCreate(&solver.stream);
  cudaEventCreate(&solver.event);
  cudaMalloc(&solver.a, 32 * sizeof(int));
  solver.n = 32;
  solver.result = 1;
  std::cout << solver.result << std::endl;
  printf("%d\n", solver.n);
  solver.run();
  return cudaDeviceSynchronize();
}
