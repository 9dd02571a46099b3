//@ decided
// Options that a loop compares with their names, under two names each; one has no value.
#include <cstdio>
#include <cstdlib>
#include <cstring>

__global__ void shift(float *a, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i + by] = 1.0f; //~ oob-global proved
}

static void usage() {
  fprintf(stderr, "usage: shift [-v] [-n SIZE] [-b BY]\n");
  exit(2);
}

int main(int argc, char **argv) {
  int n = 64, by = 0;
  bool verbose = false;
  for (int i = 1; i < argc; i++) {
    if (strcmp(argv[i], "-v") == 0) {
      verbose = true;
    } else if (strcmp(argv[i], "-n") == 0 || strcmp(argv[i], "--size") == 0) {
      if (i + 1 >= argc) usage();
      n = atoi(argv[++i]);
    } else if (!strcmp(argv[i], "-b") || !strcmp(argv[i], "--by")) {
      if (i + 1 >= argc) usage();
      by = strtol(argv[++i], nullptr, 10);
    } else {
      usage();
    }
  }
  if (verbose) printf("%d by %d\n", n, by);
  if (n < 1 || by < 0) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  shift<<<(n + 255) / 256, 256>>>(a, n, by);
  return cudaDeviceSynchronize();
}
