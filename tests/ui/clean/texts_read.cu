//@ decided
// Texts that are only read, or written behind what counts, or in a copy; strings made of whole texts.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  char name[64];
  snprintf(name, sizeof name, "%s.%s", argv[1], argv[2]);
  char *copy = strdup(argv[1]);
  for (char *p = strtok(copy, ","); p; p = strtok(nullptr, ",")) printf("%s of %s\n", p, name);
  if (strchr(argv[1], 44) || strlen(argv[1]) > 9) return 1;
  const std::string text = argv[1], same = text;
  int n = std::stoi(same);
  argv[2][0] = 0;
  int m = atoi(argv[1]);
  if (strtol(text.c_str(), nullptr, 10) < m) return 1;
  if (n < 1 || n > 1000) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  fill<<<(m + 255) / 256, 256>>>(a, m);
  return cudaDeviceSynchronize();
}
