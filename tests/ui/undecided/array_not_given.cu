//@ undecided: 1
// Whether an array was given is not known: a smaller one in its place is too small.
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void k(cudaSurfaceObject_t s, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < w) surf1Dwrite(1.0f, s, x * 4);
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int w = atoi(argv[1]);
  if (w < 2 || w > 32768) return 1;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  if (cudaMallocArray(&a, &d, w, 0, cudaArraySurfaceLoadStore) != cudaSuccess)
    if (cudaMallocArray(&a, &d, w / 2, 0, cudaArraySurfaceLoadStore) != cudaSuccess) return 1;
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray; r.res.array.array = a;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &r);
  k<<<(w + 255) / 256, 256>>>(s, w);
  return cudaDeviceSynchronize();
}
