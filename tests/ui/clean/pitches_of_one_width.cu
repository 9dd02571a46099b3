// Two allocations of rows of one width: programs keep one pitch for both.
//@ decided
#include <cstdlib>

__global__ void copy(const float *from, float *to, size_t pitch, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) *(float *)((char *)to + y * pitch + x * sizeof(float)) = *(const float *)((const char *)from + y * pitch + x * sizeof(float));
}

int main(int argc, char **argv) {
  int device = 0;
  if (argc > 3) device = atoi(argv[3]);
  cudaSetDevice(device);
  int w = atoi(argv[1]), h = atoi(argv[2]);
  if (w < 1 || w > 4096 || h < 1 || h > 4096) return 1;
  float *from, *to;
  size_t pitch;
  float *host = (float *)malloc((size_t)w * h * sizeof(float));
  cudaMallocPitch(&from, &pitch, w * sizeof(float), h);
  cudaMallocPitch(&to, &pitch, w * sizeof(float), h);
  cudaMemcpy2D(from, pitch, host, w * sizeof(float), w * sizeof(float), h, cudaMemcpyHostToDevice);
  copy<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(from, to, pitch, w, h);
  cudaMemcpy2D(host, w * sizeof(float), to, pitch, w * sizeof(float), h, cudaMemcpyDeviceToHost);
}
