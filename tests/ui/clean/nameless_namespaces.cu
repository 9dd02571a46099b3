//@ decided
//@ flags: --extended-lambda
// Kernels in unnamed namespaces, and in namespaces whose names end in digits; templates, also of lambdas and local types.
#include <cstdlib>

namespace {
__global__ void plain(int *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1;
}
template <typename T, int N> __global__ void templated(T *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = T(1);
}
} // namespace

namespace ns1 {
__global__ void counted(int *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1;
}
} // namespace ns1

namespace v2::detail3 {
__global__ void inner(int *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1;
}
template <typename F> __global__ void apply(F f, int *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = f(i);
}
template <typename T> __global__ void with_local(T t, int *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = t.x;
}
namespace {
template <typename T> __global__ void deep9(T *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1;
}
} // namespace
} // namespace v2::detail3

extern "C" __global__ void c_name(int *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  struct Local { int x; } local{n};
  auto f = [=] __device__(int i) { return i + n; };
  plain<<<1, 128>>>(a, n);
  templated<int, 1><<<1, 128>>>(a, n);
  ns1::counted<<<1, 128>>>(a, n);
  v2::detail3::inner<<<1, 128>>>(a, n);
  v2::detail3::apply<<<1, 128>>>(f, a, n);
  v2::detail3::with_local<<<1, 128>>>(local, a, n);
  v2::detail3::deep9<<<1, 128>>>(a, n);
  c_name<<<1, 128>>>(a, n);
  return cudaDeviceSynchronize();
}
