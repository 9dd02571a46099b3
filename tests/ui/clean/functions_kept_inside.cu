// Addresses of launching functions that nobody outside gets: in a table of the unit, in a local structure, of an object on the stack.
//@ decided
__global__ void fill(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void clear(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 0;
}

using Launcher = void (*)(float *, int);
static void first(float *x, int n) { fill<<<1, 64>>>(x, n); }
static void second(float *x, int n) { clear<<<1, 64>>>(x, n); }
static const Launcher launchers[] = {first, second};
struct Step {
  Launcher launch;
  int n;
};
struct Operation {
  virtual void run(float *x, int n) = 0;
};
struct Filling : Operation {
  void run(float *x, int n) override { fill<<<1, 64>>>(x, n); }
};

extern "C" int direct(bool clears) {
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return 1;
  launchers[clears ? 1 : 0](x, 64);
  Step step = {clears ? second : first, 64};
  step.launch(x, step.n);
  Filling filling;
  Operation *operation = &filling;
  operation->run(x, 64);
  cudaFree(x);
  return 0;
}
