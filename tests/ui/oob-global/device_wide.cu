// A kernel behind algorithms of Thrust is wrong by one element, and an algorithm of the program's own with such a name does more than its namesake.
#include <cstdlib>
#include <thrust/device_ptr.h>
#include <thrust/execution_policy.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
__global__ void k(int *a, int n) {
  int i = blockIdx.x * 256 + threadIdx.x;
  if (i <= n) a[i] = i;  //~ oob-global proved
}

__global__ void filled(int *a, int n) {
  a[n] = 1; //~ oob-global proved
}

namespace mine::cuda_cub {
template <typename T> struct execution_policy {};
struct par_t {};
template <typename P, typename T> void fill(execution_policy<P> &, T *first, T *last, T) { filled<<<1, 1>>>(first, last - first); }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000000) return 1;
  int *a, *b;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  thrust::sort(thrust::device, a, a + n);
  thrust::device_ptr<int> from(a), to(b);
  thrust::exclusive_scan(from, from + n, to);
  mine::cuda_cub::execution_policy<mine::cuda_cub::par_t> policy;
  mine::cuda_cub::fill(policy, a, a + n, 1);
  k<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
