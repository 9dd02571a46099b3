// Rows of planes from `cudaMalloc3D`. The twin in `oob-global/` goes one plane too far.
//@ decided
#include <cstdlib>
__global__ void fill(cudaPitchedPtr p, int width, int height, int depth) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x >= width) return;
  size_t plane = p.pitch * p.ysize;
  for (int z = 0; z < depth; ++z)
    for (int y = 0; y < height; ++y) {
      float *row = (float *)((char *)p.ptr + z * plane + y * p.pitch);
      row[x] = 1;
    }
}
int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int width = atoi(argv[1]), height = atoi(argv[2]), depth = atoi(argv[3]);
  if (width < 1 || height < 1 || depth < 1 || width > 1000 || height > 1000 || depth > 1000) return 1;
  cudaPitchedPtr p;
  if (cudaMalloc3D(&p, make_cudaExtent(width * sizeof(float), height, depth)) != cudaSuccess) return 1;
  fill<<<(width + 255) / 256, 256>>>(p, width, height, depth);
}
