// The program has a deallocation function of its own, which an exception calls when it ends.
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
void *operator new(size_t n) { return malloc(n); }
void operator delete(void *p) noexcept { extra = 1000; free(p); }
void operator delete(void *p, size_t) noexcept { extra = 1000; free(p); }
struct Ex { std::vector<int> v; Ex() : v(5) {} };
static void f(int a) { if (a > 1) throw Ex(); }
int main(int argc, char **argv) {
  try { f(argc); } catch (Ex &) { extra = 0; }
  go(100, 100 + extra);
}
