//@ decided
// Two-dimensional copies and fills that end where the memory does.
#include <cstdlib>

__global__ void first(float *a, size_t pitch) { *(float *)((char *)a + threadIdx.x * pitch) = 1; }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int width = atoi(argv[1]), height = atoi(argv[2]);
  if (width < 1 || height < 1 || height > 1024 || width > 1024) return 1;
  size_t row = width * sizeof(float), pitch;
  float *h = (float *)malloc(row * height), *d, *flat;
  cudaMallocPitch((void **)&d, &pitch, row, height);
  cudaMalloc(&flat, (row + 4) * height);
  cudaMemcpy2D(d, pitch, h, row, row, height, cudaMemcpyHostToDevice);
  first<<<1, height>>>(d, pitch);
  cudaMemcpy2D(flat + 1, row + 4, d, pitch, row, height, cudaMemcpyDeviceToDevice);
  cudaMemset2D(flat, row + 4, 0, row + 4, height);
  cudaMemcpy2D(h + 1, row, d, pitch, row - sizeof(float), height, cudaMemcpyDeviceToHost);
  return cudaDeviceSynchronize();
}
