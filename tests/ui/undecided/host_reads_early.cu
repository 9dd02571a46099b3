// The host reads before the copy or the kernel is done, and what it stores meanwhile may be overwritten.
//@ undecided: 4
__global__ void set(int *p, int v) { if (threadIdx.x == 0) *p = v; }
__global__ void use_early(int *out, int i) { out[i] = 1; }
__global__ void use_stored(int *out, int i) { out[i] = 1; }
__global__ void use_managed(int *out, int i) { out[i] = 1; }
__global__ void use_source(int *out, int i) { out[i] = 1; }

int main() {
  int *p, *h, *m, *out, x, big = 100;
  cudaMalloc(&p, sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMallocHost(&h, sizeof(int));
  cudaMallocManaged(&m, sizeof(int));
  // What was there before.
  *h = 100;
  cudaMemset(p, 0, sizeof(int));
  cudaMemcpyAsync(h, p, sizeof(int), cudaMemcpyDeviceToHost, 0);
  use_early<<<1, 1>>>(out, *h);
  cudaDeviceSynchronize();
  // What is copied comes after what is stored.
  cudaMemcpy(p, &big, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpyAsync(h, p, sizeof(int), cudaMemcpyDeviceToHost, 0);
  *h = 0;
  cudaDeviceSynchronize();
  use_stored<<<1, 1>>>(out, *h);
  set<<<1, 32>>>(m, 100);
  *m = 0;
  cudaDeviceSynchronize();
  use_managed<<<1, 1>>>(out, *m);
  // What is stored in the source is copied.
  *h = 0;
  cudaMemcpyAsync(p, h, sizeof(int), cudaMemcpyHostToDevice, 0);
  *h = 100;
  cudaDeviceSynchronize();
  cudaMemcpy(&x, p, sizeof(int), cudaMemcpyDeviceToHost);
  use_source<<<1, 1>>>(out, x);
  return cudaDeviceSynchronize();
}
