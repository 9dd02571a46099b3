//@ flags: -rdc=true
// Kernels with internal linkage, with packs, numbers, templates and functions as arguments, in relocatable code.
#include <cstdlib>
namespace {
__global__ void plain(int *a, int n) {
  int i = threadIdx.x;
  if (i <= n) a[i] = 1; //~ oob-global proved
}
template <typename T> struct Op {};
}
static __global__ void inner2(int *a, int n) { if (threadIdx.x <= n) a[threadIdx.x] = 1; } //~ oob-global proved
namespace ns1 { static __global__ void k2(int *a, int n) { if (threadIdx.x <= n) a[threadIdx.x] = 1; }  //~ oob-global proved
struct S3 { template <typename T> __device__ static T one() { return T(1); } };
template <typename... T> __global__ void pack(int *a, int n, T... t) { if (threadIdx.x <= n) a[threadIdx.x] = sizeof...(t); } //~ oob-global proved
template <int... N> __global__ void numbers(int *a, int n) { if (threadIdx.x <= n) a[threadIdx.x] = (N + ...); } //~ oob-global proved
template <template <typename> class C> __global__ void of_template(int *a, int n) { if (threadIdx.x <= n) a[threadIdx.x] = 1; } //~ oob-global proved
template <void (*F)(int *)> __global__ void of_function(int *a, int n) { if (threadIdx.x <= n) F(a + threadIdx.x); }
}
__device__ void set(int *p) { *p = 1; } //~ oob-global proved
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  plain<<<1, 128>>>(a, n);
  inner2<<<1, 128>>>(a, n);
  ns1::k2<<<1, 128>>>(a, n);
  ns1::pack<<<1, 128>>>(a, n, 1, 2.0, 'c');
  ns1::numbers<1, -2, 3><<<1, 128>>>(a, n);
  ns1::of_template<Op><<<1, 128>>>(a, n);
  ns1::of_function<set><<<1, 128>>>(a, n);
  return cudaDeviceSynchronize();
}
