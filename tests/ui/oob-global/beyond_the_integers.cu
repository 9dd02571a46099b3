// A floating-point value that its integer type does not hold is not wrapped: devices give the nearest number.
#include <cstdlib>

__global__ void saturated(int *out, int n) {
  int m = (int)(n * 65536.0 * 65536.0);
  if (m != 0) out[100 + threadIdx.x] = 1; //~ oob-global possible
}

__global__ void of_negative(int *out, int n) {
  unsigned m = (unsigned)(-2.0 * n);
  if (m == 0) out[100 + threadIdx.x] = 1; //~ oob-global possible
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  int *out;
  cudaMalloc(&out, 100 * sizeof(int));
  saturated<<<1, 1>>>(out, n);
  of_negative<<<1, 1>>>(out, n);
  return cudaDeviceSynchronize();
}
