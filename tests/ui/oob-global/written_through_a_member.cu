// A kernel writes through a member of a structure of which it is not known where it leads.
//@ undecided: 1
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; } //~ oob-global proved
struct S { int *p; };
__global__ void set(S s) { *s.p = 64; }
int main(int argc, char **argv) {
  int *m; cudaMalloc(&m, 4); cudaMemset(m, 0, 4);
  uintptr_t key = atoi(argv[1]), at = (uintptr_t)m; at ^= key; at ^= key;
  S s; s.p = (int *)at;
  set<<<1, 1>>>(s);
  int n; cudaMemcpy(&n, m, 4, cudaMemcpyDeviceToHost); n += 16;
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
