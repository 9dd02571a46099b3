// A handler calls a virtual method of the object that a thrown pointer leads to.
#include <cuda_runtime.h>
#include <cstdlib>
#include <stdexcept>
#include <exception>
#include <vector>
#include <memory>
__global__ void k(float *o, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) o[i] = 1.0f; } //~ oob-global proved
static void go(int size, int n) { float *o; cudaMalloc(&o, size * sizeof(float)); k<<<(n + 255) / 256, 256>>>(o, n); cudaDeviceSynchronize(); cudaFree(o); }
int extra = 0;
struct Base { virtual void bump() {} };
struct Foo : Base { void bump() override { extra = 1000; } };
Foo foo;
static void f(int a) { if (a > 1) throw static_cast<Base *>(&foo); }
int main(int argc, char **argv) {
  try { f(argc); } catch (Base *p) { p->bump(); }
  go(100, 100 + extra);
}
