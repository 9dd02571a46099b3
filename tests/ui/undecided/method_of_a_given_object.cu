// An object of a caller may have any class of the program: one of them launches `fill` with more threads than `x` has elements.
//@ undecided: 1
__global__ void fill(float *x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = 1;
}

struct Operation {
  virtual void run(float *x, int n) = 0;
};
struct Once : Operation {
  void run(float *x, int n) override { fill<<<1, n>>>(x, n); }
};
struct Twice : Operation {
  void run(float *x, int n) override { fill<<<1, 2 * n>>>(x, 2 * n); }
};

extern "C" Operation *make(bool once) {
  if (once) return new Once;
  return new Twice;
}

extern "C" void direct() {
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return;
  fill<<<1, 64>>>(x, 64);
  cudaFree(x);
}

extern "C" void given(Operation *operation) {
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return;
  operation->run(x, 64);
  cudaFree(x);
}
