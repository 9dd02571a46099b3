// An exception that another one holds ends with it, and its destructor changes a variable.
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
struct Ex { int a; ~Ex() { extra = 1000; } };
struct N final : std::nested_exception { };
int main(int argc, char **argv) {
  {
    std::unique_ptr<N> n;
    if (argc > 1) { try { throw Ex{1}; } catch (...) { n.reset(new N); } extra = 0; }
  }
  go(100, 100 + extra);
}
