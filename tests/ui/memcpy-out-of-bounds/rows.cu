// Two-dimensional copies and fills: the last row counts its width, every other row the pitch.
#include <cstdlib>

__global__ void first(float *a, size_t pitch) { *(float *)((char *)a + threadIdx.x * pitch) = 1; }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int width = atoi(argv[1]), height = atoi(argv[2]);
  if (width < 1 || height < 1 || height > 1024 || width > 1024) return 1;
  size_t row = width * sizeof(float), pitch;
  float *h = (float *)malloc(row * height), *d, *flat;
  cudaMallocPitch((void **)&d, &pitch, row, height);
  cudaMalloc(&flat, row * height);
  cudaMemcpy2D(d, pitch, h, row, row, height + 1, cudaMemcpyHostToDevice); //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved
  first<<<1, height>>>(d, pitch);
  cudaMemcpy2D(flat + 1, row, d, pitch, row, height, cudaMemcpyDeviceToDevice); //~ memcpy-out-of-bounds proved
  cudaMemset2D(flat, row + 4, 0, row, height); //~ memcpy-out-of-bounds proved
  return cudaDeviceSynchronize();
}
