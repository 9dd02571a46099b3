// Products that differ: of lists that were compared in part, or changed since, and products that wrap.
//@ undecided: 11
#include <cstring>
#include <cuda_runtime.h>
#include <functional>
#include <numeric>
#include <vector>

#define KERNEL(name)                                        \
  __global__ void name(float *y, long n) {                  \
    long i = blockIdx.x * (long)blockDim.x + threadIdx.x;   \
    if (i < n) y[i] = 1;                                    \
  }

template <void (*kernel)(float *, long)>
static void made(long n, long used) {
  if (n < 1 || n > 1000000) return;
  float *y;
  cudaMalloc(&y, n * sizeof(float));
  kernel<<<(used + 255) / 256, 256>>>(y, used);
  cudaFree(y);
}

static long product(const long *list, size_t n) {
  long all = 1;
  for (size_t i = 0; i < n; i++) all *= list[i];
  return all;
}

KERNEL(one_more)
void of_one_more(const long *list, int n) {
  if (n > 1) made<one_more>(product(list, n - 1), product(list, n));
}

KERNEL(changed)
void of_changed(long *list, int n) {
  long before = product(list, n);
  list[0] += 1;
  made<changed>(before, product(list, n));
}

KERNEL(wraps)
void of_wraps(const std::vector<long> &list) {
  int all = 1;
  for (long v : list) all *= v;
  made<wraps>(all, product(list.data(), list.size()));
}

KERNEL(narrow)
void of_narrow(const std::vector<long> &list) {
  long all = 1;
  for (long v : list) all *= (int)v;
  made<narrow>(all, product(list.data(), list.size()));
}

KERNEL(copy_changed) //~ oob-global possible
void of_copy_changed(const std::vector<long> &list) {
  std::vector<long> other = list;
  for (long &v : other) v += 1;
  made<copy_changed>(product(list.data(), list.size()), product(other.data(), other.size()));
}

KERNEL(start) //~ oob-global possible
void of_start(const std::vector<long> &list) {
  made<start>(product(list.data(), list.size()), std::accumulate(list.begin(), list.end(), 2L, std::multiplies<>()));
}

KERNEL(different)
void of_different(const std::vector<long> &a, const std::vector<long> &b) {
  if (a == b) return;
  made<different>(product(a.data(), a.size()), product(b.data(), b.size()));
}

KERNEL(fewer_bytes)
void of_fewer_bytes(const long *a, const long *b, size_t n) {
  if (n > 100 || memcmp(a, b, n) != 0) return;
  made<fewer_bytes>(product(a, n), product(b, n));
}

KERNEL(other_width)
void of_other_width(const int *a, const long *b, size_t n) {
  if (n > 100 || memcmp(a, b, n * sizeof(long)) != 0) return;
  long all = 1;
  for (size_t i = 0; i < n; i++) all *= a[i];
  made<other_width>(product(b, n), all);
}

KERNEL(order)
void of_order(const long *a, const long *b, size_t n) {
  if (n > 100 || memcmp(a, b, n * sizeof(long)) < 0) return;
  made<order>(product(a, n), product(b, n));
}

// n * 8 wraps to 0 for n = 2^61: nothing is compared.
KERNEL(overflowing_size)
void of_overflowing_size(const long *a, const long *b, size_t n) {
  if (memcmp(a, b, n * sizeof(long)) != 0) return;
  made<overflowing_size>(product(a, n), product(b, n));
}

KERNEL(after) //~ oob-global possible
void of_after(const std::vector<long> &a, std::vector<long> b) {
  if (a != b) return;
  for (long &v : b) v += 1;
  made<after>(product(a.data(), a.size()), product(b.data(), b.size()));
}

KERNEL(one_path)
void of_one_path(const std::vector<long> &a, const std::vector<long> &b, bool check) {
  if (a.size() != b.size()) return;
  if (check && a != b) return;
  made<one_path>(product(a.data(), a.size()), product(b.data(), b.size()));
}

KERNEL(last_left_out)
void of_last_left_out(const long *a, const long *b, int n) {
  for (int i = 0; i + 1 < n; i++)
    if (a[i] != b[i]) return;
  if (n > 0) made<last_left_out>(product(a, n), product(b, n));
}

// The whole is 0 where a number that is left out is.
KERNEL(zero)
void of_zero(const long *list, size_t n) {
  if (n < 1 || n > 100) return;
  for (size_t i = 0; i < n; i++)
    if (list[i] < 0) return;
  made<zero>(1 + product(list, n), product(list + 1, n - 1));
}

// The whole may be small only because it wraps.
KERNEL(part_of_a_wrapped_one)
void of_part_of_a_wrapped_one(const long *list, size_t n) {
  if (n < 1 || n > 100) return;
  for (size_t i = 0; i < n; i++)
    if (list[i] < 1) return;
  made<part_of_a_wrapped_one>(product(list, n), product(list + 1, n - 1));
}
