//@ undecided: 1
// The same for what it holds, where the first file is read last.
#include <cstdio>
#include <unistd.h>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  FILE *f = fopen("a", "rb");
  if (!f || chdir("other")) return 1;
  FILE *g = fopen("a", "rb");
  if (!g) return 1;
  int n, m;
  rewind(g);
  if (fread(&n, sizeof n, 1, g) != 1 || fread(&m, sizeof m, 1, f) != 1) return 1;
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
