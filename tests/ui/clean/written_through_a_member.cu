//@ decided
// A kernel writes through a member of a structure that leads to another buffer.
#include <cstdint>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
struct S { int *p; };
__global__ void set(S s) { *s.p = 64; }
int main() {
  int *m, *other;
  cudaMalloc(&m, 4);
  cudaMalloc(&other, 4);
  cudaMemset(m, 0, 4);
  S s;
  s.p = other;
  set<<<1, 1>>>(s);
  int n;
  cudaMemcpy(&n, m, 4, cudaMemcpyDeviceToHost);
  n += 16;
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
