// Rows of `cudaMallocPitch`: one column too many is outside in the last row where rows have no padding. In clean/ the
// columns are right, in undecided/padding_of_rows.cu all depends on the pitch of the device.
//@ flags: -DCOLUMNS=(cols+1)
#include <cstdlib>

__global__ void by_elements(float *a, int rows, int cols, int stride) {
  int x = blockIdx.x * 16 + threadIdx.x;
  if (x >= COLUMNS) return;
  for (int y = 0; y < rows; y++) a[y * stride + x] = 0; //~ oob-global proved
}

__global__ void by_bytes(float *a, int rows, int cols, size_t pitch) {
  int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y;
  if (x < COLUMNS && y < rows) ((float *)((char *)a + y * pitch))[x] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int rows = atoi(argv[1]), cols = atoi(argv[2]);
  if (rows < 1 || cols < 1 || rows > 8192 || cols > 8192) return 1;
  float *a;
  size_t pitch;
  cudaMallocPitch(&a, &pitch, cols * 4, rows);
  by_elements<<<cols / 16 + 1, 16>>>(a, rows, cols, pitch / 4);
  by_bytes<<<dim3(cols / 16 + 1, rows), 16>>>(a, rows, cols, pitch);
  cudaDeviceSynchronize();
}
