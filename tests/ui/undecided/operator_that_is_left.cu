// One entry point is not followed to its end: it may launch `fill` otherwise than the other one does, and `within` is safe whatever launches it.
//@ undecided: 1
__global__ void fill(float *x, int n) {
  int i = threadIdx.x;
  if (i < n) x[i] = 1;
}

__global__ void within() {
  __shared__ float s[1024];
  s[threadIdx.x] = 1;
}

extern "C" void right() {
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return;
  fill<<<1, 64>>>(x, 64);
  within<<<1, 64>>>();
  cudaFree(x);
}

extern "C" void left(const unsigned *t, int n) {
  unsigned m = 0;
  int i = 0;
  // A loop with several entries.
  if (t[0]) goto inner;
  for (; i < n; i++) {
    m += t[i];
  inner:
    m ^= t[i] * 3;
  }
  float *x;
  if (cudaMalloc(&x, 64 * sizeof(float)) != cudaSuccess) return;
  fill<<<1, 128>>>(x, 128);
  within<<<1, 128>>>();
  cudaFree(x);
}
