//@ decided
// The size of one file, asked twice, also in another folder.
#include <cstdio>
#include <unistd.h>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  FILE *f = fopen("a", "rb");
  if (!f) return 1;
  fseek(f, 0, SEEK_END);
  int n = ftell(f);
  if (chdir("other")) return 1;
  rewind(f);
  fseek(f, 0, SEEK_END);
  int m = ftell(f);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
