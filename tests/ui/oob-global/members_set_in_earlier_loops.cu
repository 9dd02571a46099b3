// Sizes from one loop, memory from a later one: the launch takes one element too many, or the size of another element.
#include <cuda_runtime.h>
struct Plan {
  int n;
  float *data;
};
__global__ void last(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) x[i] = 1; //~ oob-global proved
}
__global__ void other(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1; //~ oob-global proved
}
__global__ void later(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1; //~ oob-global proved
}
int main() {
  int devices;
  cudaGetDeviceCount(&devices);
  if (devices > 8) devices = 8;
  Plan a[8], b[9], c[8];
  for (int i = 0; i < devices; i++) a[i].n = 4096 / devices;
  for (int i = 0; i < devices; i++) cudaMalloc(&a[i].data, a[i].n * sizeof(float));
  for (int i = 0; i < devices; i++) last<<<17, 256>>>(a[i].data, a[i].n);
  for (int i = 0; i < 9; i++) b[i].n = 1000 - i;
  for (int i = 0; i < devices; i++) cudaMalloc(&b[i].data, b[i + 1].n * sizeof(float));
  for (int i = 0; i < devices; i++) other<<<8, 256>>>(b[i].data, b[i].n);
  for (int i = 0; i < devices; i++) c[i].n = 1000;
  for (int i = 0; i < devices; i++) cudaMalloc(&c[i].data, c[i].n * sizeof(float));
  for (int i = 0; i < devices; i++) c[i].n = 1001;
  for (int i = 0; i < devices; i++) later<<<8, 256>>>(c[i].data, c[i].n);
}
