// Products of rows and pitches in `size_t`. In pitch.cu they are of `int`.
//@ decided
//@ flags: -DNUMBER=size_t
#include <cstdlib>

__global__ void fill(char *a, int w, int h, NUMBER pitch) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
  if (x < w && y < h) a[y * pitch + x] = 1;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]);
  if (w < 1 || h < 1 || w > 65535 || h > 65535) return 1;
  char *a;
  size_t pitch;
  cudaMallocPitch(&a, &pitch, w, h);
  fill<<<dim3((w + 15) / 16, (h + 15) / 16), dim3(16, 16)>>>(a, w, h, pitch);
  cudaDeviceSynchronize();
}
