// A variable that is declared as bytes begins anywhere: nothing makes it begin at a multiple of 16, and one that is declared so does.
//@ undecided: 1
__device__ char bytes[64];
__device__ alignas(16) char aligned[64];

__device__ __noinline__ float first(const float4 *p, int i) {
  float4 v = p[i];
  return v.x + v.y + v.z + v.w;
}

__device__ __noinline__ float second(const float4 *p, int i) {
  float4 v = p[i];
  return v.x + v.y + v.z + v.w;
}

__global__ void use(float *y) {
  y[threadIdx.x] = first((const float4 *)bytes, threadIdx.x) + second((const float4 *)aligned, threadIdx.x);
}

int main() {
  float *y;
  cudaMalloc(&y, 4 * sizeof(float));
  use<<<1, 4>>>(y);
  return cudaDeviceSynchronize();
}
