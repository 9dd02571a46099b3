// A product over a list of unknown length is one number wherever the same list is multiplied, and lists that were compared have one product.
//@ decided
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <numeric>
#include <vector>

__global__ void fill(float *y, long n) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = 1;
}

static void made(long n, long used) {
  if (n < 1 || n > 1000000) return;
  float *y;
  cudaMalloc(&y, n * sizeof(float));
  fill<<<(used + 255) / 256, 256>>>(y, used);
  cudaFree(y);
}

static long product(const long *list, size_t n) {
  long all = 1;
  for (size_t i = 0; i < n; i++) all *= list[i];
  return all;
}

void twice(const long *list, int n) {
  if (n < 1) return;
  made(product(list, n), std::accumulate(list, list + n, 1L, std::multiplies<>()));
}

void from_the_last_one(const std::vector<long> &list) {
  long all = 1;
  for (long i = (long)list.size() - 1; i >= 0; i--) all *= list[i];
  made(product(list.data(), list.size()), all);
}

// Modulo 2^32, and exact as far as the other product is small.
void in_32_bits(const std::vector<long> &list) {
  int all = 1;
  for (long v : list) all *= v;
  made(product(list.data(), list.size()), all);
}

void of_a_copy(const std::vector<long> &list) {
  std::vector<long> other = list;
  made(product(list.data(), list.size()), product(other.data(), other.size()));
}

void from_two_on(const std::vector<long> &list) {
  made(2 * product(list.data(), list.size()), std::accumulate(list.begin(), list.end(), 2L, std::multiplies<>()));
}

void of_equal_lists(const std::vector<long> &a, const std::vector<long> &b) {
  if (a != b) return;
  made(product(a.data(), a.size()), product(b.data(), b.size()));
}

void of_equal_lists_of_ints(const std::vector<int> &a, const std::vector<int> &b) {
  if (!(a == b)) return;
  int n = 1, used = 1;
  for (int v : a) n *= v;
  for (int v : b) used *= v;
  made(n, used);
}

void of_equal_bytes(const long *a, const long *b, size_t n) {
  if (n > 100 || memcmp(a, b, n * sizeof(long)) != 0) return;
  made(product(a, n), product(b, n));
}

void of_elements_that_were_compared(const long *a, const long *b, int n) {
  for (int i = 0; i < n; i++)
    if (a[i] != b[i]) return;
  if (n > 0) made(product(a, n), product(b, n));
}
