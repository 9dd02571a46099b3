// The loop that allocates also writes sizes that its later iterations read: by the next element, by parts of a size, from
// the end, by bytes.
//@ undecided: 4
#include <cstring>
#include <cuda_runtime.h>
struct Plan {
  union {
    int n;
    short halves[2];
  };
  float *data;
};
__global__ void next(float *x) { x[threadIdx.x] = 1; }
__global__ void half(float *x) { x[threadIdx.x] = 1; }
__global__ void from_the_end(float *x) { x[threadIdx.x] = 1; }
__global__ void bytes(float *x) { x[threadIdx.x] = 1; }
int main() {
  int devices;
  cudaGetDeviceCount(&devices);
  if (devices > 8) devices = 8;
  Plan a[9], b[9], c[9], d[9];
  for (int i = 0; i < 9; i++) a[i].n = b[i].n = c[i].n = d[i].n = 1000;
  for (int i = 0; i < devices; i++) {
    cudaMalloc(&a[i].data, a[i].n * sizeof(float));
    a[i + 1].n = 10;
  }
  for (int i = 0; i < devices; i++) {
    cudaMalloc(&b[i].data, b[i].n * sizeof(float));
    b[i + 1].halves[0] = 10;
  }
  for (int i = 0; i < devices; i++) {
    cudaMalloc(&c[i].data, c[i].n * sizeof(float));
    c[8 - i].n = 10;
  }
  for (int i = 0; i < devices; i++) {
    cudaMalloc(&d[i].data, d[i].n * sizeof(float));
    memset(&d[i + 1], 0, 2);
  }
  for (int i = 0; i < devices; i++) {
    next<<<1, 1000>>>(a[i].data);
    half<<<1, 1000>>>(b[i].data);
    from_the_end<<<1, 1000>>>(c[i].data);
    bytes<<<1, 1000>>>(d[i].data);
  }
}
