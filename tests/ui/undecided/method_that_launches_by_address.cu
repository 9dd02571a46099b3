// Who has the object calls its method with any arguments, and that launches `fill` by its address.
//@ undecided: 1
__global__ void fill(float *x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = 1;
}

struct Operation {
  virtual void run(float *x, int n) = 0;
};
struct Once : Operation {
  void run(float *x, int n) override {
    void *arguments[] = {&x, &n};
    cudaLaunchKernel((const void *)fill, dim3(1), dim3(n), arguments, 0, 0);
  }
};

extern "C" Operation *make() { return new Once; }

extern "C" void direct() {
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return;
  fill<<<1, 64>>>(x, 64);
  cudaFree(x);
}
