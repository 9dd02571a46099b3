//@ decided
// Tiles in shared memory, small local arrays, and three dimensions.
#include <cstdlib>

constexpr int TILE = 16;

__global__ void multiply(const float *a, const float *b, float *c, int n) {
  __shared__ float left[TILE][TILE], right[TILE][TILE + 1];
  int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0;
  for (int t = 0; t < n; t += TILE) {
    left[threadIdx.y][threadIdx.x] = row < n && t + threadIdx.x < n ? a[row * n + t + threadIdx.x] : 0;
    right[threadIdx.y][threadIdx.x] = column < n && t + threadIdx.y < n ? b[(t + threadIdx.y) * n + column] : 0;
    __syncthreads();
    for (int k = 0; k < TILE; ++k) sum += left[threadIdx.y][k] * right[k][threadIdx.x];
    __syncthreads();
  }
  if (row < n && column < n) c[row * n + column] = sum;
}

__global__ void average(const float *volume, float *out, int n) {
  int x = blockIdx.x * 4 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z * 4 + threadIdx.z;
  if (x >= n || y >= n || z >= n) return;
  float near[3];
  for (int d = 0; d < 3; ++d) {
    int at = x + d - 1;
    near[d] = at < 0 || at >= n ? 0 : volume[(z * n + y) * n + at];
  }
  out[(z * n + y) * n + x] = (near[0] + near[1] + near[2]) / 3;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 512) return 1;
  float *a, *b, *c, *v, *w;
  cudaMalloc(&a, n * n * sizeof(float));
  cudaMalloc(&b, n * n * sizeof(float));
  cudaMalloc(&c, n * n * sizeof(float));
  dim3 tiles((n + TILE - 1) / TILE, (n + TILE - 1) / TILE);
  multiply<<<tiles, dim3(TILE, TILE)>>>(a, b, c, n);
  cudaMalloc(&v, n * n * n * sizeof(float));
  cudaMalloc(&w, n * n * n * sizeof(float));
  int blocks = (n + 3) / 4;
  average<<<dim3(blocks, blocks, blocks), dim3(4, 4, 4)>>>(v, w, n);
  return cudaDeviceSynchronize();
}
