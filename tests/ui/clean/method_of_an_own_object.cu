// The object is made here, and nobody else calls its method.
//@ decided
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

extern "C" void direct() {
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return;
  Once once;
  Operation *operation = &once;
  operation->run(x, 64);
  cudaFree(x);
}
