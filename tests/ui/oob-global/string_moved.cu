//@ decided
// A string that was moved from is empty.
#include <cstdlib>
#include <string>
#include <utility>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  std::string t = argv[1];
  std::string s = static_cast<std::string &&>(t);
  int n = 5, m = atoi(t.c_str()) != atoi(s.c_str()) ? 2000 : 5;
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
