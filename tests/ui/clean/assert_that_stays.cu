// A macro of the program's own ends in the same function as `assert` and stays whatever NDEBUG is (PyTorch's CUDA_KERNEL_ASSERT): a launch that
// breaks it is no false assumption.
//@ flags: -DNDEBUG
#include <cassert>
#include <cstdlib>
#define KERNEL_ASSERT(condition) \
  if (!(condition)) __assert_fail(#condition, __FILE__, static_cast<unsigned>(__LINE__), __func__);
__global__ void scale(float *a, int n) {
  KERNEL_ASSERT(n % 4 == 0);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (4 * i < n)
    for (int k = 0; k < 4; k++) a[4 * i + k] *= 2.0f;
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  scale<<<(n + 255) / 256, 256>>>(a, n);
  return cudaDeviceSynchronize();
}
