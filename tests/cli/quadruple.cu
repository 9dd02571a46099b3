// Numbers of __float128 in kernels (nvcc 13.0, sm_100): their values are not known, whatever they are made of; memory that holds them is judged
// with their size, and an index that was made of one by its guard.
// nvcc writes its own routines for such numbers into each line that computes, so that its code is no judge of what the line accesses.
#include <cstdlib>

struct Pair {
  __float128 value;
  int index;
};

__device__ __float128 twice(__float128 x) { return x + x; }

template <class T>
__device__ T power(T x, int n) {
  T all = 1;
  for (int i = 0; i < n; i++)
    all *= x;
  return all;
}

__global__ void past(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    a[i] = (int)twice((__float128)i); //~ proved
}

__global__ void guarded(int *a, int n, __float128 x) {
  int i = (int)power(x, 3);
  if (i >= 0 && i < n)
    a[i] = x > 1 ? 1 : 2;
}

__global__ void computed(int *a, __float128 x) {
  a[(int)(x * 0)] = 1; //~ undecided
}

__global__ void one_too_many(__float128 *q, int n) {
  int i = threadIdx.x;
  if (i < n)
    q[i] = q[i] * 2 + 0.5;
  if (i == 0)
    q[n] = 1.5; //~ proved
}

union Bits {
  __float128 value;
  unsigned long long words[2];
};

__global__ void bits(int *a, __float128 x) {
  Bits b;
  b.value = x;
  a[b.words[1] >> 60] = 1; //~ undecided
}

template <class T>
__global__ void totals(T *of, const T *from, int n) {
  T all = 0;
  for (int i = 0; i < n; i++)
    all += from[i];
  of[n] = all > T(0) ? all : from[0]; //~ proved
}

__global__ void members(Pair *p, Pair given) {
  p[0] = given;
  p->value = -given.value / 3;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000)
    return 1;
  int *a;
  __float128 *q;
  Pair *p;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&q, n * 16);
  cudaMalloc(&p, 32);
  past<<<(n + 255) / 256, 256>>>(a, n);
  guarded<<<1, 1>>>(a, n, 2);
  computed<<<1, 1>>>(a, 0);
  one_too_many<<<1, 1024>>>(q, n);
  members<<<1, 1>>>(p, Pair{1, 2});
  bits<<<1, 1>>>(a, 1);
  totals<<<1, 1>>>(q, q, n);
  cudaDeviceSynchronize();
}
