// Memory that both sides see, in each way to get it, and each kind of work that may still write there.
//@ undecided: 4
#include <cstdlib>
__global__ void set(int *p, int v) { if (threadIdx.x == 0) *p = v; }
__global__ void use_mapped(int *out, int i) { out[i] = 1; }
__global__ void use_registered(int *out, int i) { out[i] = 1; }
__global__ void use_rows(int *out, int i) { out[i] = 1; }
__global__ void use_filled(int *out, int i) { out[i] = 1; }

int main() {
  int *h, *d, *p, *r, *m, *out, big = 100;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMalloc(&p, sizeof(int));
  cudaHostAlloc(&h, sizeof(int), cudaHostAllocMapped);
  cudaHostGetDevicePointer(&d, h, 0);
  set<<<1, 32>>>(d, 100);
  *h = 0;
  cudaDeviceSynchronize();
  use_mapped<<<1, 1>>>(out, *h);
  r = (int *)malloc(sizeof(int));
  cudaHostRegister(r, sizeof(int), 0);
  set<<<1, 32>>>(p, 100);
  cudaMemcpyAsync(r, p, sizeof(int), cudaMemcpyDeviceToHost);
  *r = 0;
  cudaDeviceSynchronize();
  use_registered<<<1, 1>>>(out, *r);
  cudaMemcpy(p, &big, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy2DAsync(h, sizeof(int), p, sizeof(int), sizeof(int), 1, cudaMemcpyDeviceToHost, 0);
  *h = 0;
  cudaDeviceSynchronize();
  use_rows<<<1, 1>>>(out, *h);
  cudaMallocManaged(&m, sizeof(int));
  *m = 0;
  cudaMemset(m, 64, sizeof(int));
  *m = 0;
  cudaDeviceSynchronize();
  use_filled<<<1, 1>>>(out, *m);
  return cudaDeviceSynchronize();
}
