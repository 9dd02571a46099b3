//@ undecided: 1
// Functions that call themselves, and calls through pointers that are not known: what happens further inside counts too.
#include <cstdlib>
#include <cstring>

static int by_recursion = 8, by_pointer = 8;

__global__ void given(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void counted(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void chosen(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } // undecided

__device__ void fill(int *a, int i) {
  a[i] = 1; //~ oob-global proved
  if (i < 36) fill(a, i + 1);
}

__global__ void filled(int *a) { fill(a, 0); }

static void halves(int *a, int n, int left) {
  given<<<1, 64>>>(a, n);
  if (left > 0) halves(a, n * 2, left - 1);
}

static void count(int depth) {
  if (depth > 4) by_recursion = 64;
  if (depth < 6) count(depth + 1);
}

static void set() { by_pointer = 64; }
static void leave() {}

typedef void (*Function)();

// The address goes through bytes, so that it is not followed.
static Function choose(int which) {
  Function table[2] = {leave, set}, f = table[which];
  char bytes[sizeof f];
  memcpy(bytes, &f, sizeof f);
  for (int i = 0; i < which; i++) bytes[i % 8] ^= 0;
  memcpy(&f, bytes, sizeof f);
  return f;
}

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  halves(a, 8, 3);
  count(0);
  counted<<<1, 64>>>(a, by_recursion);
  choose(argc > 1 ? 1 : 0)();
  chosen<<<1, 64>>>(a, by_pointer);
  filled<<<1, 1>>>(a);
  return cudaDeviceSynchronize();
}
