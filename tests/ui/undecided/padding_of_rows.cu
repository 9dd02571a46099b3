// Elements between the width of a row and its pitch: inside on devices that round rows up to 512 bytes, and the width alone does
// not say it.
//@ undecided: 1
#include <cstdlib>

__global__ void padding(float *a, int rows, int stride) {
  for (int y = 0; y < rows; y++) a[y * stride + threadIdx.x] = 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int rows = atoi(argv[1]);
  if (rows < 1 || rows > 1024) return 1;
  float *a;
  size_t pitch;
  cudaMallocPitch(&a, &pitch, 96 * 4, rows);
  padding<<<1, 128>>>(a, rows, pitch / 4);
  cudaDeviceSynchronize();
}
