// An algorithm of Thrust on elements at odd addresses.
//@ undecided: 1
#include <cstdlib>
#include <thrust/execution_policy.h>
#include <thrust/transform.h>
struct Twice {
  __host__ __device__ int operator()(int x) const { return 2 * x; }
};
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  char *bytes;
  int *out;
  cudaMalloc(&bytes, n * sizeof(int) + 4);
  cudaMalloc(&out, n * sizeof(int));
  const int *in = (const int *)(bytes + 1);
  thrust::transform(thrust::device, in, in + n, out, Twice());
  return cudaDeviceSynchronize();
}
