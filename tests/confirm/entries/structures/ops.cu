// An operator that takes its sizes from one structure and writes to the memory of another.
struct tensor {
  int type;
  long ne[4];
  unsigned long nb[4];
  tensor *src[4];
  void *data;
};

__global__ void scale(float *y, const float *x, long n, float a) {
  long i = blockIdx.x * (long)blockDim.x + threadIdx.x;
  if (i < n) y[i] = a * x[i];
}

void op_scale(tensor *dst) {
  const tensor *src = dst->src[0];
  long n = src->ne[0] * src->ne[1];
  if (n < 1 || n > 1000000) return;
  scale<<<(n + 255) / 256, 256>>>((float *)dst->data, (const float *)src->data, n, 2);
}
