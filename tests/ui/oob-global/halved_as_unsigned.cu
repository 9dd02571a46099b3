// A size that is compared as a signed number and divided as an unsigned one: a negative one becomes the least size.
#include <cstdlib>

__global__ void level(float *a, int n, int levels) {
  for (int l = 0; l < levels; l++) n = n > 1 ? (unsigned)n / 2 : 1;
  a[n == 1 ? 10 : 0] = 1; //~ oob-global proved
}

__global__ void rounded(float *a, int n, int levels) {
  for (int l = 0; l < levels; l++) n = (n + 1u) / 2;
  a[n == 0 ? 10 : 0] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), levels = atoi(argv[2]);
  if (n >= 0 || levels < 1 || levels > 3) return 1;
  float *a;
  cudaMalloc(&a, 10 * sizeof(float));
  level<<<1, 1>>>(a, n, levels);
  rounded<<<1, 1>>>(a, n, levels);
  return cudaDeviceSynchronize();
}
