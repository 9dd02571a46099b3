// A quotient that is rounded and multiplied again is not what it was: `49 / 49.0 * 49.0` is less than 49, and so is `(1 / 49.0) * 49.0`.
#include <cstdlib>

__global__ void differ(int *out, int n) {
  int m = (int)(n / 49.0 * 49.0);
  if (m != n) out[100 + threadIdx.x] = 1; //~ oob-global proved
}

__global__ void narrow(int *out, int n) {
  int m = (int)(n * 0.125f / 41.0f * 328.0f);
  if (m != n) out[100 + threadIdx.x] = 1; //~ oob-global proved
}

__global__ void write(int *out, int i) { out[i] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  int *out;
  cudaMalloc(&out, 100 * sizeof(int));
  differ<<<1, 1>>>(out, n);
  narrow<<<1, 1>>>(out, n);
  if ((int)(n / 49.0 * 49.0) < n) write<<<1, 1>>>(out, 100);
  return cudaDeviceSynchronize();
}
