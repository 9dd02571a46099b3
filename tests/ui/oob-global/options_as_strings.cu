//@ decided
// Options that are compared as C++ strings.
#include <cstdlib>
#include <string>

__global__ void shift(float *a, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i + by] = 1.0f; //~ oob-global proved
}

struct Options { int n = 64, by = 0; };

static Options parse(int argc, char **argv) {
  Options options;
  for (int i = 1; i < argc; i++) {
    std::string word = argv[i];
    if (word == "-n" && i + 1 < argc) options.n = std::stoi(argv[++i]);
    else if (word == "-b" && i + 1 < argc) options.by = std::stoi(argv[++i]);
  }
  return options;
}

int main(int argc, char **argv) {
  Options options = parse(argc, argv);
  int n = options.n, by = options.by;
  if (n < 1 || by < 0) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  shift<<<(n + 255) / 256, 256>>>(a, n, by);
  return cudaDeviceSynchronize();
}
