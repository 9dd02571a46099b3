//@ decided
// Indices are divided as cutlass::FastDivmod and ggml do: by a multiplication with a factor that the host computes from
// a logarithm of the divisor, which is rounded up in several ways.
#include <cstdint>
#include <cstdlib>

// Counts of zeros in front of a number, and logarithms, in several ways.
template <typename T>
__host__ __device__ T leading_zeros(T x) {
  for (int i = 31; i >= 0; --i)
    if ((1 << i) & x) return T(31 - i);
  return T(32);
}

template <typename T>
__host__ __device__ T by_tests(T x) {
  int a = int(31 - leading_zeros(x));
  a += (x & (x - 1)) != 0;
  return a;
}

static unsigned by_instruction(unsigned x) {
  return 31 - __builtin_clz(x) + ((x & (x - 1)) != 0);
}

static unsigned of_number_before(unsigned x) {
  return x <= 1 ? 0 : 32 - __builtin_clz(x - 1);
}

static unsigned by_doubling(unsigned x) {
  unsigned l = 0;
  while (l < 32 && (1ull << l) < x) l++;
  return l;
}

static unsigned by_halving(unsigned x) {
  unsigned l = 0, left = x;
  while (left >>= 1) l++;
  return l + ((x & (x - 1)) != 0);
}

// As cutlass::FastDivmod.
struct Divider {
  int divisor = 1;
  unsigned multiplier = 0, shift = 0;
  Divider() = default;
  __host__ __device__ Divider(int d) : divisor(d) {
    if (divisor != 1) {
      unsigned p = 31 + by_tests(divisor);
      multiplier = unsigned(((1ull << p) + unsigned(divisor) - 1) / unsigned(divisor));
      shift = p - 32;
    }
  }
  __host__ __device__ void operator()(int &quotient, int &rest, int n) const {
#ifdef __CUDA_ARCH__
    quotient = (divisor != 1) ? __umulhi(n, multiplier) >> shift : n;
#else
    quotient = int((divisor != 1) ? int(((int64_t)n * multiplier) >> 32) >> shift : n);
#endif
    rest = n - quotient * divisor;
  }
};

// The same with the other logarithms, and by reference as cutlass::find_divisor.
enum class Way { Instruction, Before, Doubling, Halving };

template <Way way>
void find(unsigned &multiplier, unsigned &shift, unsigned d) {
  if (d == 1) {
    multiplier = 0;
    shift = 0;
  } else {
    unsigned l = way == Way::Instruction ? by_instruction(d)
                 : way == Way::Before    ? of_number_before(d)
                 : way == Way::Doubling  ? by_doubling(d)
                                         : by_halving(d);
    unsigned p = 31 + l;
    multiplier = unsigned(((1ull << p) + d - 1) / d);
    shift = p - 32;
  }
}

template <Way way>
struct Unsigned {
  unsigned d, m, s;
  Unsigned(unsigned by) : d(by) { find<way>(m, s, by); }
  __device__ unsigned div(unsigned n) const { return d != 1 ? __umulhi(n, m) >> s : n; }
};

// As ggml's init_fastdiv_values.
static uint3 values(uint64_t d_64) {
  uint32_t d = (uint32_t)d_64, l = 0;
  while (l < 32 && (uint32_t{1} << l) < d) l++;
  return make_uint3((uint32_t)((uint64_t{1} << 32) * ((uint64_t{1} << l) - d) / d + 1), l, d);
}

static __device__ unsigned fastdiv(unsigned n, uint3 by) { return (__umulhi(n, by.x) + n) >> by.y; }

__global__ void transposed(float *a, Divider by, int n, int rows) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int row, column;
  by(row, column, i);
  a[column * rows + row] = 1;
}

__global__ void three(float *a, Divider w, Divider h, int n, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int rest, x, y, z;
  w(rest, x, i);
  h(z, y, rest);
  a[(y * w.divisor + x) * c + z] = 1;
}

template <Way way>
__global__ void by_other_logarithm(float *a, Unsigned<way> by, unsigned n, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned row = by.div(i), column = i - row * by.d;
  a[column * rows + row] = 1;
}

__global__ void by_values(float *a, uint3 by, unsigned n, unsigned rows) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  unsigned row = fastdiv(i, by), column = i - row * by.z;
  a[column * rows + row] = 1;
}

__global__ void by_seven(float *a, Divider seven, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, quotient, rest;
  if (i >= n) return;
  seven(quotient, rest, i);
  a[rest] = 1;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]), c = atoi(argv[3]);
  if (w < 1 || w > 500 || h < 1 || h > 500 || c < 1 || c > 500) return 1;
  int n = w * h * c;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, 7 * sizeof(float));
  unsigned blocks = (n + 127) / 128;
  transposed<<<blocks, 128>>>(a, Divider(w), n, h * c);
  three<<<blocks, 128>>>(a, Divider(w), Divider(h), n, c);
  by_other_logarithm<<<blocks, 128>>>(a, Unsigned<Way::Instruction>(w), n, h * c);
  by_other_logarithm<<<blocks, 128>>>(a, Unsigned<Way::Before>(w), n, h * c);
  by_other_logarithm<<<blocks, 128>>>(a, Unsigned<Way::Doubling>(w), n, h * c);
  by_other_logarithm<<<blocks, 128>>>(a, Unsigned<Way::Halving>(w), n, h * c);
  by_values<<<blocks, 128>>>(a, values(w), n, h * c);
  by_seven<<<(n + 127) / 128, 128>>>(b, Divider(7), n);
  return cudaDeviceSynchronize();
}
