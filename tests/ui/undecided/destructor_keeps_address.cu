// The destructor of an exception stores the address of a variable: no replay follows it.
//@ undecided: 1
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <exception>
#include <vector>
#include <memory>
__global__ void k(float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = 1.0f; }
static void go(int size, int n) { float *o; cudaMalloc(&o, size * sizeof(float)); k<<<(n + 255) / 256, 256>>>(o, n); cudaDeviceSynchronize(); cudaFree(o); }
int small = 10, big = 1000;
int *current = &big;
struct Ex { int a; ~Ex() { current = &small; } };
static void f(int a) { if (a > 0) throw Ex{3}; }
int main(int argc, char **argv) {
  try { f(argc); } catch (Ex &e) { }
  go(100, *current);
}
