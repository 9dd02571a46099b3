//@ undecided: 1
// Functions that a library calls: what they write counts, and nothing is safe where one launches that is not followed.
#include <cstdlib>
#include <functional>
#include <pthread.h>

static int by_function = 8, by_order = 8;

__global__ void called(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void ordered(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void elsewhere(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void here(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static int *a;

static void set(int n) { by_function = n; }

static int order(const void *x, const void *y) {
  by_order = 64;
  return *(const int *)x - *(const int *)y;
}

static void *work(void *p) {
  elsewhere<<<1, 64>>>(a, 64);
  return p;
}

int main() {
  cudaMalloc(&a, 32 * sizeof(int));
  std::function<void(int)> f = set;
  f(64);
  int v[4] = {3, 1, 2, 0};
  qsort(v, 4, sizeof(int), order);
  called<<<1, 64>>>(a, by_function);
  ordered<<<1, 64>>>(a, by_order);
  pthread_t t;
  pthread_create(&t, nullptr, work, nullptr);
  pthread_join(t, nullptr);
  elsewhere<<<1, 64>>>(a, 8);
  here<<<1, 64>>>(a, 8);
  return cudaDeviceSynchronize();
}
