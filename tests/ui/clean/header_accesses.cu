// The twin of header_accesses: the same calls, all in bounds. Each is a place of its own for each array that it is given.
//@ flags: -arch=sm_90 -isystem ../report/vendored
//@ decided
#include <cstring>
#include <cuda/atomic>
#include <cuda_pipeline.h>
#include <vectors.h>
struct Eight { int v[8]; };
__global__ void intrinsics(const float *a, float *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = __ldg(&a[i]);
  float y = __ldcg(a + i);
  __stcs(b + i, x + y);
}
__global__ void atomics(int *a, unsigned *b, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&b[i], 1u);
  cuda::atomic_ref<int, cuda::thread_scope_device>(a[i]).fetch_add(1);
}
template <int By> __global__ void instances(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) raise<By>(a + i);
}
__global__ void vectors(float4 *a, const float4 *b, const float4 *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = b[i] + c[i];
}
__global__ void blocks(Eight *to, const Eight *from, int n) {
  int i = threadIdx.x;
  if (i < n) memcpy(&to[i], &from[i], sizeof(Eight));
  __shared__ int s[32];
  __pipeline_memcpy_async(&s[i], &from[0].v[0] + i % 8, 4);
}
int main(int argc, char **argv) {
  int n = argc;
  float *a;
  float4 *v;
  int *c;
  Eight *e;
  if (n < 1 || n > 8 || cudaMalloc(&a, n * sizeof(float)) || cudaMalloc(&v, n * sizeof(float4))) return 1;
  if (cudaMalloc(&c, n * sizeof(int)) || cudaMalloc(&e, n * sizeof(Eight))) return 1;
  intrinsics<<<1, 32>>>(a, a, n);
  atomics<<<1, 32>>>(c, (unsigned *)c, n);
  instances<1><<<1, 32>>>(c, n);
  instances<2><<<1, 32>>>(c, n);
  vectors<<<1, 32>>>(v, v, v, n);
  blocks<<<1, 32>>>(e, e, n);
  return cudaDeviceSynchronize();
}
