// A conversion fails, and a handler takes the exception: sizes are right.
//@ undecided: 1
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <exception>
#include <vector>
#include <memory>
__global__ void k(float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = 1.0f; }
static void go(int size, int n) { float *o; cudaMalloc(&o, size * sizeof(float)); k<<<(n + 255) / 256, 256>>>(o, n); cudaDeviceSynchronize(); cudaFree(o); }
#include <any>
#include <variant>
#include <functional>
#include <map>
#include <string>
int extra = 0;
static void g(int a) { extra = 1000; std::any x = 5; try { float v = std::any_cast<float>(x); } catch (...) { extra = 50; }  throw 1; }
int main(int argc, char **argv) {
  try { g(argc); } catch (int) { }
  go(100, extra);
}
