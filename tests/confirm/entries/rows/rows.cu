// A function of a library that forgets the last row of threads.
__global__ void scale_rows(float *x, const float *by, int rows, int cols) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= rows * cols) x[i] *= by[i / cols];
}

extern "C" int op_scale(float *x, const float *by, int rows, int cols) {
  if (rows < 1 || cols < 1 || rows > 30000 || cols > 30000) return 1;
  scale_rows<<<(rows * cols + 255) / 256 + 1, 256>>>(x, by, rows, cols);
  return 0;
}
