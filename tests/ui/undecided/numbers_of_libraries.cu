// Numbers that a routine of a library gives beside scalars that it reads, and members behind the base that a library's function is given.
//@ undecided: 2
#include <cstddef>
#include <random>

// As cuSPARSE and cuBLASXt declare them, but for arguments that do not matter here.
extern "C" int cusparseXcsrgeam2Nnz(void *handle, int rows, int *nonzeros);
extern "C" int cublasXtSgemm(void *handle, const float *alpha, const int *x, int *y);

__global__ void nonzeros(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void product(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void behind(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

struct Generator {
  typedef unsigned result_type;
  static constexpr unsigned min() { return 0; }
  static constexpr unsigned max() { return ~0u; }
  virtual unsigned operator()() = 0;
};
struct Counting : Generator {
  int n = 8;
  unsigned operator()() override { n = 64; return 4; }
};

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  int n = 8;
  cusparseXcsrgeam2Nnz(nullptr, 4, &n);
  nonzeros<<<1, 64>>>(a, n);
  int x = 8, y = 8;
  float alpha = 1;
  cublasXtSgemm(nullptr, &alpha, &x, &y);
  product<<<1, 64>>>(a, y);
  Counting counting;
  std::uniform_int_distribution<int> upto(0, 9);
  upto(static_cast<Generator &>(counting));
  behind<<<1, 64>>>(a, counting.n);
  return cudaDeviceSynchronize();
}
