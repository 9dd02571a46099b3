// Copies that look like those of misaligned/casts_in_place.cu, of types that need no more, or at addresses that have it.
#include <cstdint>
#include <cstring>

struct Plain { float x, y, z, w; };
struct __attribute__((packed)) Packed { char c; int i; };
union Either { float4 v; float f[4]; };
struct alignas(8) Pair { float a, b; };
struct Outer { int first; float4 v; Pair pair; };

__global__ void plain(float *y) {
  __shared__ __align__(16) float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 61) {
    Plain v = *(Plain *)&s[threadIdx.x];
    y[threadIdx.x] = v.x + v.w;
  }
}

// Arrays that are aligned more than their elements.
__global__ void between_arrays(float *y) {
  __shared__ __align__(16) Plain s[64], t[64];
  s[threadIdx.x] = Plain{1, 2, 3, 4};
  __syncthreads();
  t[threadIdx.x] = s[(threadIdx.x + 1) % 64];
  __syncthreads();
  y[threadIdx.x] = t[threadIdx.x].y;
}

__global__ void packed(const Packed *p, float *y) {
  Packed q = p[threadIdx.x];
  y[threadIdx.x] = q.i + p[threadIdx.x].i;
}

__global__ void aligned(float *y) {
  __shared__ __align__(16) float s[64], t[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 15) *(float4 *)&t[4 * threadIdx.x] = *(float4 *)&s[4 * threadIdx.x + 4];
  __syncthreads();
  if (threadIdx.x < 15) y[threadIdx.x] = ((float4 *)t)[threadIdx.x].y + *(float *)((char *)s + 4 * threadIdx.x);
}

__global__ void bytes(float *y) {
  __shared__ __align__(16) float s[68];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float4 v;
  memcpy(&v, &s[threadIdx.x + 1], sizeof v);
  y[threadIdx.x] = v.x + v.w;
}

__global__ void unions(float *y) {
  __shared__ Either u[16];
  u[threadIdx.x / 4].f[threadIdx.x % 4] = 3;
  __syncthreads();
  Either w = u[threadIdx.x / 4];
  y[threadIdx.x] = w.v.x + u[threadIdx.x / 4].v.y;
}

__global__ void nested(const Outer *p, float *y) {
  float4 v = p[threadIdx.x].v;
  y[threadIdx.x] = v.x + p[threadIdx.x].v.y + p[threadIdx.x].pair.b;
}

int main() {
  float *y;
  Packed *p;
  Outer *q;
  cudaMalloc(&y, 64 * sizeof(float));
  cudaMalloc(&p, 64 * sizeof(Packed));
  cudaMalloc(&q, 64 * sizeof(Outer));
  cudaMemset(p, 0, 64 * sizeof(Packed));
  cudaMemset(q, 0, 64 * sizeof(Outer));
  plain<<<1, 64>>>(y);
  between_arrays<<<1, 64>>>(y);
  packed<<<1, 64>>>(p, y);
  aligned<<<1, 64>>>(y);
  bytes<<<1, 64>>>(y);
  unions<<<1, 64>>>(y);
  nested<<<1, 64>>>(q, y);
  cudaDeviceSynchronize();
}
