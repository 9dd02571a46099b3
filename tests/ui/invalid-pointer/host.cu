//@ snapshot
// Memory that only the host may use on most systems: the heap, a local array, the shadow of a device variable.
#include <cstdlib>

__device__ float table[32];

__global__ void fill(float *a) { a[threadIdx.x] = 1.0f; } //~ invalid-pointer possible
__global__ void scale(float *a) {
  a[threadIdx.x] *= 2.0f; //~ invalid-pointer possible
}
__global__ void shadow(const float *t, float *out) {
  out[threadIdx.x] = t[threadIdx.x]; //~ invalid-pointer possible
}

int main() {
  float *heap = (float *)malloc(32 * sizeof(float)), local[32], *out;
  cudaMalloc(&out, 32 * sizeof(float));
  fill<<<1, 32>>>(heap);
  scale<<<1, 32>>>(local);
  shadow<<<1, 32>>>(table, out);
  return cudaDeviceSynchronize();
}
