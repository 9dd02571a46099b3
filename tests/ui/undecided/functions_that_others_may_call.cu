// Functions that other units may call: an explicit instance of a template, a weak function, and functions that call each other.
//@ undecided: 3
__global__ void by_instance(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void by_weak(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}
__global__ void by_each_other(float *x, int n) {
  if (threadIdx.x < n) x[threadIdx.x] = 1;
}

template <typename T>
void run(T *x, int n) {
  by_instance<<<1, 64>>>(x, n);
}
template void run<float>(float *x, int n);

extern "C" {
__attribute__((weak)) void hook(float *x, int n) { by_weak<<<1, 64>>>(x, n); }

void down(float *x, int n);
void up(float *x, int n) {
  if (n > 4) by_each_other<<<1, 64>>>(x, n);
  else down(x, n);
}
void down(float *x, int n) {
  if (n > 0) up(x, n - 1);
}

int direct() {
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return 1;
  by_instance<<<1, 64>>>(x, 64);
  by_weak<<<1, 64>>>(x, 64);
  by_each_other<<<1, 64>>>(x, 64);
  cudaFree(x);
  return 0;
}
}
