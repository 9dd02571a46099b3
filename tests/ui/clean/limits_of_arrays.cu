//@ decided
// No device has arrays of more rows than the guide says: the program ends before the launch that would go too far.
#include <cstdlib>
#include <cuda_runtime.h>
__global__ void sum(cudaTextureObject_t t, float *rows, int w, int h) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y >= h) return;
  float v = 0;
  for (int x = 0; x < w; x++) v += tex2D<float>(t, x + 0.5f, y + 0.5f);
  rows[y] = v;
}
int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]);
  if (w < 1 || h < 1) return 1;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  if (cudaMallocArray(&a, &d, w, h) != cudaSuccess) return 1;
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray; r.res.array.array = a;
  cudaTextureDesc how = {};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &r, &how, nullptr);
  float *rows; cudaMalloc(&rows, 65536 * sizeof(float));
  sum<<<(h - 1) / 256 + 1, 256>>>(t, rows, w, h);
  return cudaDeviceSynchronize();
}
