//@ undecided: 1
// Two files whose names are put together have nothing in common.
#include <cstdio>
#include <unistd.h>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  char name[99];
  snprintf(name, sizeof name, "%s.x", argv[1]);
  FILE *f = fopen(name, "rb");
  snprintf(name, sizeof name, "%s.y", argv[1]);
  FILE *g = fopen(name, "rb");
  if (!f || !g) return 1;
  fseek(f, 0, SEEK_END);
  int n = ftell(f);
  fseek(g, 0, SEEK_END);
  int m = ftell(g);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
