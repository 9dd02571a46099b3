//@ decided
// Strings made of texts and strings as a whole.
#include <cstdlib>
#include <string>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  std::string s, t = argv[1];
  s = t;
  std::string u(s);
  int n = std::stoi(u), m = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
