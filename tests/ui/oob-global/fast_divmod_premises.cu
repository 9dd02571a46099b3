// Divisions by precomputed factors of which one premise does not hold.
#include <cstdint>
#include <cstdlib>

__host__ __device__ int logarithm(unsigned x) {
  int a = 0;
  for (int i = 31; i >= 0; --i)
    if ((1u << i) & x) { a = i; break; }
  return a + ((x & (x - 1)) != 0);
}

struct Divider {
  unsigned d, m = 0, s = 0;
  Divider(unsigned by) : d(by) {
    if (d != 1) {
      unsigned p = 31 + logarithm(d);
      m = unsigned(((1ull << p) + d - 1) / d);
      s = p - 32;
    }
  }
  __device__ unsigned for_two(unsigned n) const { return d != 2 ? __umulhi(n, m) >> s : n; }
  __device__ unsigned far(unsigned n) const { return d != 1 ? __umulhi(n, m) >> (s + 1) : n; }
  __device__ unsigned div(unsigned n) const { return d != 1 ? __umulhi(n, m) >> s : n; }
};

// One less than the logarithm, rounded up: a smaller factor.
struct Rounded {
  unsigned d, m = 0, s = 0;
  Rounded(unsigned by) : d(by) {
    if (d != 1) {
      unsigned p = 31 + logarithm(d);
      m = unsigned((1ull << p) / d);
      s = p - 32;
    }
  }
  __device__ unsigned div(unsigned n) const { return d != 1 ? __umulhi(n, m) >> s : n; }
};

__global__ void other_guard(float *a, Divider by, unsigned n, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned row = by.for_two(i), column = i - row * by.d;
  a[column * rows + row] = 1; //~ oob-global proved
}

__global__ void shifted_too_far(float *a, Divider by, unsigned n, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned row = by.far(i), column = i - row * by.d;
  a[column * rows + row] = 1; //~ oob-global proved
}

__global__ void rounded_down(float *a, Rounded by, unsigned n, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned row = by.div(i), column = i - row * by.d;
  a[column * rows + row] = 1; //~ oob-global proved
}

__global__ void other_divisor(float *a, Divider by, Divider other, unsigned n, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned row = by.div(i), column = i - row * other.d;
  a[column * rows + row] = 1; //~ oob-global proved
}

// The quotient of 4294967291 is one too large.
__global__ void large_dividend(char *a, Divider by, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[by.div(i)] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]);
  if (w < 1 || w > 500 || h < 1 || h > 500) return 1;
  unsigned n = w * h;
  float *a;
  char *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, 613566756);
  unsigned blocks = (n + 127) / 128;
  other_guard<<<blocks, 128>>>(a, Divider(w), n, h);
  shifted_too_far<<<blocks, 128>>>(a, Divider(w), n, h);
  rounded_down<<<blocks, 128>>>(a, Rounded(w), n, h);
  other_divisor<<<blocks, 128>>>(a, Divider(w), Divider(h), n, h);
  large_dividend<<<33554432, 128>>>(b, Divider(7), 4294967292u);
  return cudaDeviceSynchronize();
}
