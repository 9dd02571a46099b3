// strspn and strcspn: a string without the searched bytes has no index for its end.
#include <cstring>

__global__ void mark(int *a, size_t i) { a[i] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  if (argc < 2 || !*argv[1]) return 1;
  int *a;
  cudaMalloc(&a, strlen(argv[1]) * sizeof(int));
  mark<<<1, 1>>>(a, strcspn(argv[1], ","));
  return cudaDeviceSynchronize();
}
