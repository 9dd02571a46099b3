// Sizes that are divided as numbers of another width: a wider one loses bits in the first round only, and a narrower one
// keeps the low bits of each quotient, so that a negative one stays.
#include <cstdlib>

__global__ void wider(float *a, long n, int levels) {
  for (int l = 0; l < levels; l++) n = (unsigned)n / 2;
  a[n == 0x100000000 ? 10 : 0] = 1; //~ oob-global proved
}

__global__ void narrower(float *a, short n, int levels) {
  for (int l = 0; l < levels; l++) n = (unsigned)n / 2;
  a[n == -1 ? 10 : 0] = 1; //~ oob-global proved
}

__global__ void shifted(float *a, signed char n, int levels) {
  for (int l = 0; l < levels; l++) n = (unsigned short)n >> 3;
  a[n == -1 ? 10 : 0] = 1; //~ oob-global proved
}

__global__ void of_128_bits(float *a, long n, int levels) {
  for (int l = 0; l < levels; l++) n = (unsigned __int128)n / 2;
  a[n == -1 ? 10 : 0] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  long n = atol(argv[1]);
  int levels = atoi(argv[2]), small = atoi(argv[3]);
  if (n != 0x100000000 || levels != 0 || small != -100) return 1;
  float *a;
  cudaMalloc(&a, 10 * sizeof(float));
  wider<<<1, 1>>>(a, n, levels);
  narrower<<<1, 1>>>(a, small, levels + 33);
  shifted<<<1, 1>>>(a, small, levels + 9);
  of_128_bits<<<1, 1>>>(a, small, levels + 65);
  return cudaDeviceSynchronize();
}
