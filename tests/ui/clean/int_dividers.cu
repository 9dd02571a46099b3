//@ decided
// Indices are divided by a multiplication with a factor that the host computes and passes by value, as PyTorch's
// IntDivider does.
#include <cstdint>
#include <cstdlib>

struct IntDivider {
  unsigned divisor, factor, shift;
  IntDivider() = default;
  explicit IntDivider(unsigned d) : divisor(d) {
    for (shift = 0; shift < 32; shift++)
      if ((1U << shift) >= divisor) break;
    uint64_t one = 1;
    uint64_t magic = ((one << 32) * ((one << shift) - divisor)) / divisor + 1;
    factor = magic;
  }
  __host__ __device__ unsigned div(unsigned n) const {
#ifdef __CUDA_ARCH__
    unsigned t = __umulhi(n, factor);
#else
    unsigned t = ((uint64_t)n * factor) >> 32;
#endif
    return (t + n) >> shift;
  }
};

__global__ void transposed(float *a, IntDivider by, unsigned n, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned row = by.div(i), column = i - row * by.divisor;
  a[column * rows + row] = 1;
}

__global__ void three(float *a, IntDivider w, IntDivider h, unsigned n, unsigned c) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned rest = w.div(i), x = i - rest * w.divisor;
  unsigned z = h.div(rest), y = rest - z * h.divisor;
  a[(y * w.divisor + x) * c + z] = 1;
}

struct Sizes {
  IntDivider by[2];
};

__global__ void in_a_loop(float *a, Sizes s, unsigned n) {
  unsigned left = blockIdx.x * blockDim.x + threadIdx.x, at = 0;
  if (left >= n) return;
  for (int k = 0; k < 2; k++) {
    unsigned q = s.by[k].div(left);
    at = at * s.by[k].divisor + (left - q * s.by[k].divisor);
    left = q;
  }
  a[left * s.by[0].divisor * s.by[1].divisor + at] = 1;
}

__global__ void by_seven(float *a, IntDivider seven, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n * 7) a[i - seven.div(i) * 7] = 1;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]), c = atoi(argv[3]);
  if (w < 1 || w > 500 || h < 1 || h > 500 || c < 1 || c > 500) return 1;
  unsigned n = w * h * c;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, 7 * sizeof(float));
  unsigned blocks = (n + 127) / 128;
  transposed<<<blocks, 128>>>(a, IntDivider(w), n, h * c);
  three<<<blocks, 128>>>(a, IntDivider(w), IntDivider(h), n, c);
  Sizes s;
  s.by[0] = IntDivider(w);
  s.by[1] = IntDivider(h);
  in_a_loop<<<blocks, 128>>>(a, s, n);
  by_seven<<<h, 128>>>(b, IntDivider(7), h);
  return cudaDeviceSynchronize();
}
