// strspn of a known string: one more than the array has.
#include <cstring>

__global__ void mark(int *a, size_t i) { a[i] = 1; } //~ oob-global proved

int main() {
  int *a;
  cudaMalloc(&a, 4 * sizeof(int));
  mark<<<1, 1>>>(a, strspn("2026-11", "0123456789"));
  return cudaDeviceSynchronize();
}
