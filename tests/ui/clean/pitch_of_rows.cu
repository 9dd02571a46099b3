// Rows of `cudaMallocPitch`, whatever the pitch is. In oob-global/ there is one column too many.
//@ decided
//@ flags: -DCOLUMNS=cols
#include <cstdlib>

__global__ void by_elements(float *a, int rows, int cols, int stride) {
  int x = blockIdx.x * 16 + threadIdx.x;
  if (x >= COLUMNS) return;
  for (int y = 0; y < rows; y++) a[y * stride + x] = 0;
}

__global__ void by_bytes(float *a, int rows, int cols, size_t pitch) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y;
  if (x < COLUMNS && y < rows) ((float *)((char *)a + y * pitch))[x] = 1;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int rows = atoi(argv[1]), cols = atoi(argv[2]);
  if (rows < 1 || cols < 1 || rows > 1024 || cols > 1024) return 1;
  float *a;
  size_t pitch;
  cudaMallocPitch(&a, &pitch, cols * 4, rows);
  by_elements<<<cols / 16 + 1, 16>>>(a, rows, cols, pitch / 4);
  by_bytes<<<dim3(cols / 16 + 1, rows), 16>>>(a, rows, cols, pitch);
  cudaDeviceSynchronize();
}
