// Nobody known calls `scale`: its callers may keep to sizes that fit.
//@ snapshot
__global__ void scale_kernel(float *a, float by) {
  int i = blockIdx.x * 128 + threadIdx.x;
  a[i] *= by; //~ oob-global possible
}

void scale(const float *from, float *to, int n, float by) {
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  cudaMemcpy(a, from, n * sizeof(float), cudaMemcpyHostToDevice);
  scale_kernel<<<(n + 127) / 128, 128>>>(a, by);
  cudaMemcpy(to, a, n * sizeof(float), cudaMemcpyDeviceToHost);
  cudaFree(a);
}
