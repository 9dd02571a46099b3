// Casts in the access itself, over arrays, members and variables of a smaller alignment: nvcc takes the alignment of the type that is accessed.
#include <cstdint>

struct Name { char name[5]; char rest[67]; };
struct Row { float first; float rest[12]; };
struct Block { uint16_t scale; uint8_t quants[18]; };
template <class T, int N> struct alignas(sizeof(T) * N) Aligned { T v[N]; };
typedef unsigned __attribute__((aligned(1))) Loose;

__device__ __align__(16) Name name;
__constant__ __align__(16) Row row;

__global__ void scalars(float *y) {
  y[threadIdx.x] = *(float *)(name.rest + 4 * threadIdx.x); //~ misaligned proved
}

// A GPU may have no access of 16 bytes to constant memory.
__global__ void constants(float *y) {
  float4 v = *(const float4 *)(row.rest + 4 * threadIdx.x); //~ misaligned possible
  y[threadIdx.x] = v.x + v.y + v.z + v.w;
}

__global__ void members(const Block *b, int *y) {
  y[threadIdx.x] = ((const int *)b[threadIdx.x].quants)[1]; //~ misaligned proved
}

__global__ void shared(float *y) {
  __shared__ __align__(16) float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 60) {
    float4 v = *(float4 *)&s[threadIdx.x]; //~ misaligned proved
    y[threadIdx.x] = v.x + v.y + v.z + v.w;
  }
}

__global__ void assigned(const float4 *x) {
  __shared__ __align__(16) float s[68];
  *(float4 *)&s[2 + 4 * (threadIdx.x & 15)] = x[threadIdx.x]; //~ misaligned proved
}

__global__ void of_templates(float *y) {
  __shared__ __align__(16) float s[64];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 60) {
    auto v = *(Aligned<float, 4> *)&s[threadIdx.x]; //~ misaligned proved
    y[threadIdx.x] = v.v[0] + v.v[1] + v.v[2] + v.v[3];
  }
}

// The type is named on neither side.
__global__ void between_arrays(float *y) {
  __shared__ __align__(16) float s[64], t[64];
  s[threadIdx.x] = threadIdx.x;
  t[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.x < 15) *(float4 *)&t[4 * threadIdx.x] = *(float4 *)&s[4 * threadIdx.x + 1]; //~ misaligned possible
  __syncthreads();
  y[threadIdx.x] = t[threadIdx.x];
}

__global__ void chosen(float *y) {
  __shared__ __align__(16) float s[64], t[64];
  s[threadIdx.x] = 1;
  t[threadIdx.x] = 1;
  __syncthreads();
  (threadIdx.x & 1 ? *(float4 *)&s[4] : *(float4 *)&t[9]) = make_float4(1, 2, 3, 4); //~ misaligned proved
  __syncthreads();
  y[threadIdx.x] = s[threadIdx.x] + t[threadIdx.x];
}

__global__ void components(float *y) {
  __shared__ __align__(16) float s[68];
  s[threadIdx.x] = threadIdx.x;
  __syncthreads();
  if (threadIdx.x < 15) y[threadIdx.x] = ((float4 *)(s + 1))[threadIdx.x].x; //~ misaligned possible
}

// nvcc does not follow a typedef that lowers the alignment.
__global__ void lowered(char *x, unsigned *y) {
  y[threadIdx.x] = *(const Loose *)(x + 1); //~ misaligned proved
}

int main() {
  float *y;
  float4 *x;
  Block *b;
  cudaMalloc(&y, 64 * sizeof(float));
  cudaMalloc(&x, 64 * sizeof(float4));
  cudaMalloc(&b, 64 * sizeof(Block));
  cudaMemset(b, 0, 64 * sizeof(Block));
  cudaMemset(x, 0, 64 * sizeof(float4));
  scalars<<<1, 16>>>(y);
  constants<<<1, 3>>>(y);
  members<<<1, 64>>>(b, (int *)y);
  shared<<<1, 64>>>(y);
  assigned<<<1, 64>>>(x);
  of_templates<<<1, 64>>>(y);
  between_arrays<<<1, 64>>>(y);
  chosen<<<1, 64>>>(y);
  components<<<1, 64>>>(y);
  lowered<<<1, 64>>>((char *)x, (unsigned *)y);
  cudaDeviceSynchronize();
}
