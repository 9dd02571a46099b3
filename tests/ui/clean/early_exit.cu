//@ decided
// No guard in the kernel: the host takes multiples of the block only.
#include <cstdio>
#include <cstdlib>

__global__ void scale(float *a) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i] = 2.0f;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n <= 0 || n % 256 != 0 || n > 1 << 24) {
    printf("a multiple of 256, please\n");
    return 1;
  }
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  scale<<<n / 256, 256>>>(a);
  return cudaDeviceSynchronize();
}
