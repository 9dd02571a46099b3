//@ flags: -DNDEBUG
// What a release build compiles: a check that is not there, and an assert whose argument is not evaluated.
#include <cassert>

#ifdef NDEBUG
#define CHECK(i, n)
#else
#define CHECK(i, n) if ((i) >= (n)) return
#endif

__global__ void checked(int *a, int n) { CHECK(n, 16); a[n] = 1; } //~ oob-global proved
__global__ void plain(int *a, int n) { a[n] = 1; } //~ oob-global proved

static int begin(int *n) { *n = 3; return 0; }

int main(int argc, char **) {
  int n = 16, *a;
  assert(begin(&n) == 0);
  if (cudaMalloc(&a, 16 * sizeof(int))) return 1;
  checked<<<1, 1>>>(a, argc);
  plain<<<1, 1>>>(a, n);
}
