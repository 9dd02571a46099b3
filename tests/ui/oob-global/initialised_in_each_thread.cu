// A variable of threads that code initialises has that value in each of them, whatever another one set it to: of a unit, and of a function.
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>

__global__ void of_a_unit(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 1; //~ oob-global possible
}

__global__ void of_a_function(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 2; //~ oob-global possible
}

int size() { return 1000; }
thread_local int count = size();

int get(int n) {
  thread_local int held = n + 0 * atoi("3");
  return held;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 10) return 1;
  count = n;
  std::thread first([=] {
    float *p;
    cudaMalloc(&p, n * sizeof(float));
    of_a_unit<<<4, 256>>>(p, count);
  });
  first.join();
  get(n);
  std::thread second([=] {
    int m = get(1000);
    float *p;
    cudaMalloc(&p, n * sizeof(float));
    of_a_function<<<4, 256>>>(p, m);
  });
  second.join();
  return cudaDeviceSynchronize();
}
