// The size comes from an option, read in a loop; the grid is rounded up and nothing guards the last block.
#include <cstdio>
#include <cstdlib>
#include <getopt.h>

static struct option long_options[] = {{"size", 1, nullptr, 's'}, {"repeat", 1, nullptr, 1000}, {"verify", 0, nullptr, 'v'}, {nullptr, 0, nullptr, 0}};

__global__ void fill(float *a) {
  a[blockIdx.x * blockDim.x + threadIdx.x] = 1.0f; //~ oob-global proved
}

__global__ void count(int *a, int repeats) {
  for (int r = 0; r < repeats; ++r) a[r] = r; //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = 256, repeats = 1, verify = 0, opt;
  while ((opt = getopt_long(argc, argv, "s:v", long_options, nullptr)) != -1) {
    switch (opt) {
    case 's': n = atoi(optarg); break;
    case 1000: repeats = atoi(optarg); break;
    case 'v': verify = 1; break;
    default: return 1;
    }
  }
  if (optind < argc || n < 1 || n > 1 << 20) return 1;
  float *a;
  int *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, 16 * sizeof(int));
  fill<<<(n + 127) / 128, 128>>>(a);
  count<<<1, 1>>>(b, repeats);
  cudaFree(a);
  cudaFree(b);
  return verify;
}
