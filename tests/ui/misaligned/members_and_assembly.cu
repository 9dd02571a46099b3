// Members of vectors one by one, which nvcc may read at once; structures of 24 bytes; loads of headers and of assembly; each begins at byte 4.
#include <cuda_fp16.h>

struct Triple { double a, b, c; };

__global__ void members(const float *x, float *y) {
  const float4 *v = (const float4 *)(x + 1);
  y[threadIdx.x] = v[threadIdx.x].x; //~ misaligned possible
}

__global__ void structures(const float *x, float *y) {
  Triple t = *(const Triple *)(x + 1); //~ misaligned possible
  y[threadIdx.x] = t.a + t.b + t.c;
}

__global__ void streaming(const float *x, float *y) {
  float4 v = __ldcs((const float4 *)(x + 1)); //~ misaligned proved
  y[threadIdx.x] = v.x + v.w;
}

__global__ void halves(const __half *x, float *y) {
  y[threadIdx.x] = __low2float(__ldg((const __half2 *)(x + 1))); //~ misaligned proved
}

__global__ void assembly(const float *x, float *y) {
  float a, b;
  asm volatile("ld.global.v2.f32 {%0, %1}, [%2];" : "=f"(a), "=f"(b) : "l"(x + 1)); //~ misaligned proved
  y[threadIdx.x] = a + b;
}

__global__ void aligned(const float *x, float *y) {
  const float4 *v = (const float4 *)(x + 4);
  float4 w = __ldcs(v + 1);
  Triple t = *(const Triple *)(x + 2);
  y[threadIdx.x] = v[threadIdx.x].x + v[threadIdx.x].z + w.x + t.a + t.b + t.c;
}

int main() {
  float *x, *y;
  cudaMalloc(&x, 64 * sizeof(float));
  cudaMalloc(&y, 4 * sizeof(float));
  members<<<1, 4>>>(x, y);
  structures<<<1, 4>>>(x, y);
  streaming<<<1, 4>>>(x, y);
  halves<<<1, 4>>>((const __half *)x, y);
  assembly<<<1, 4>>>(x, y);
  aligned<<<1, 4>>>(x, y);
  return cudaDeviceSynchronize();
}
