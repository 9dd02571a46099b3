// Copies to and from CUDA's arrays whose memory beside the array is too small.
//@ decided
#include <cstdlib>
#include <cuda.h>
#include <vector>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

int main(int argc, char **argv) {
  int w = atoi(argv[1]), h = atoi(argv[2]), d = atoi(argv[3]);
  if (w < 1 || w > 256 || h < 1 || h > 256 || d < 1 || d > 256) return 1;
  std::vector<float> image(w * h), volume(w * h * d);
  float *short_of_a_row;
  cudaMalloc(&short_of_a_row, (w * h - 1) * sizeof(float));

  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t flat, deep;
  cudaMallocArray(&flat, &format, w, h);
  cudaMemcpy2DToArray(flat, 0, 0, image.data() + 1, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);  //~ memcpy-out-of-bounds proved
  cudaMemcpyToArray(flat, 0, 0, image.data() + 1, w * h * sizeof(float), cudaMemcpyHostToDevice);  //~ memcpy-out-of-bounds proved
  cudaMemcpy2DFromArray(short_of_a_row, w * sizeof(float), flat, 0, 0, w * sizeof(float), h, cudaMemcpyDeviceToDevice);  //~ memcpy-out-of-bounds proved
  cudaMemcpyFromArray(short_of_a_row, flat, 0, 0, w * h * sizeof(float), cudaMemcpyDeviceToDevice);  //~ memcpy-out-of-bounds proved

  cudaExtent extent = make_cudaExtent(w, h, d);
  cudaMalloc3DArray(&deep, &format, extent);
  cudaMemcpy3DParms copy = {0};
  copy.srcPtr = make_cudaPitchedPtr(volume.data() + 1, w * sizeof(float), w, h);
  copy.dstArray = deep;
  copy.extent = extent;
  copy.kind = cudaMemcpyHostToDevice;
  cudaMemcpy3D(&copy);  //~ memcpy-out-of-bounds proved

  CUarray of_driver;
  CUDA_ARRAY_DESCRIPTOR descriptor = {(size_t)w, (size_t)h, CU_AD_FORMAT_FLOAT, 1};
  cuArrayCreate(&of_driver, &descriptor);
  CUDA_MEMCPY2D rows = {};
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = image.data();
  rows.srcPitch = w * sizeof(float);
  rows.srcY = 1;
  rows.dstMemoryType = CU_MEMORYTYPE_ARRAY;
  rows.dstArray = of_driver;
  rows.WidthInBytes = w * sizeof(float);
  rows.Height = h;
  cuMemcpy2D(&rows);  //~ memcpy-out-of-bounds proved
  scale<<<w, 256>>>(short_of_a_row, w * h - 1);
  cudaDeviceSynchronize();
}
