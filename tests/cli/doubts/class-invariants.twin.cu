// Nothing rests on `class-invariants`.
//@ toml: [entry]
//@ toml: functions = ["op_*"]
#include <cstddef>
class Buffer {
  float *p_ = nullptr;
  size_t n_ = 0;

public:
  explicit Buffer(size_t n) : n_(n) {
    if (cudaMalloc(&p_, n * sizeof(float)) != cudaSuccess) throw 1;
  }
  Buffer(const Buffer &) = delete;
  Buffer &operator=(const Buffer &) = delete;
  ~Buffer() { cudaFree(p_); }
  float *data() const { return p_; }
  size_t size() const { return n_; }
};
__global__ void k(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  __shared__ int s[256];
  if (i < n) s[threadIdx.x] = 2;
}
void op_make(int n) { Buffer b(n); }
void op_k(Buffer &x) {
  if (x.size()) k<<<(x.size() + 255) / 256, 256>>>(x.data(), (int)x.size());
}
