//@ flags: -DNDEBUG
// A release build does not count: the index stays the last one.
#include <cassert>

__global__ void plain(int *a, int n) { a[n] = 1; }

int main() {
  int n = 15, *a;
  assert(++n > 0);
  if (cudaMalloc(&a, 16 * sizeof(int))) return 1;
  plain<<<1, 1>>>(a, n);
}
