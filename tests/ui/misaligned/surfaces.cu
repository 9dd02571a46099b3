// The first coordinate of a surface counts bytes, and must be a multiple of what is written.
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void k(cudaSurfaceObject_t s, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < w) surf2Dwrite(1.0f, s, x * 2, 0);   // bytes for elements: x * 4 was meant //~ misaligned proved
}
__global__ void at_the_edge(cudaSurfaceObject_t s, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < w) surf2Dwrite(1.0f, s, x * 2, 0, cudaBoundaryModeClamp);  //~ misaligned proved
}
__global__ void beyond(cudaSurfaceObject_t s, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < 2 * w) surf2Dwrite(1.0f, s, x * 4, 0, cudaBoundaryModeZero);
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int w = atoi(argv[1]);
  if (w < 1 || w > 4096) return 1;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  if (cudaMallocArray(&a, &d, w, 1, cudaArraySurfaceLoadStore)) return 1;
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray; r.res.array.array = a;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &r);
  k<<<(w + 63) / 64, 64>>>(s, w);
  at_the_edge<<<(w + 63) / 64, 64>>>(s, w);
  beyond<<<(2 * w + 63) / 64, 64>>>(s, w);
  cudaDeviceSynchronize();
}
