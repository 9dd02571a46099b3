// An exception that its maker owns ends later, and its destructor changes a variable.
//@ undecided: 1
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <exception>
#include <vector>
#include <memory>
__global__ void k(float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = 1.0f; }
static void go(int size, int n) { float *o; cudaMalloc(&o, size * sizeof(float)); k<<<(n + 255) / 256, 256>>>(o, n); cudaDeviceSynchronize(); cudaFree(o); }
int extra = 0;
struct Ex { int a = 1; Ex() {} Ex(const Ex &) {} ~Ex() { extra = 1000; } };
int main(int argc, char **argv) {
  if (argc > 1) {
    std::exception_ptr p = std::make_exception_ptr(Ex());
    extra = 0;
    try { std::rethrow_exception(p); } catch (...) { }
    extra = 0;
    p = nullptr;
  }
  go(100, 100 + extra);
}
