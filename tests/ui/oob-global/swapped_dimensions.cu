// Rows and columns are swapped in one of the two guards: right for square images only.
#include <cstdlib>

__global__ void transpose(const float *in, float *out, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  if (x < width && y < height) out[x * height + y] = in[y * width + x];
}

__global__ void invert(float *image, int width, int height) {
  int x = blockIdx.x * 16 + threadIdx.x;
  int y = blockIdx.y * 16 + threadIdx.y;
  if (x < height && y < width) image[y * width + x] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int width = atoi(argv[1]), height = atoi(argv[2]);
  if (width < 1 || height < 1 || width > 4096 || height > 4096) return 1;
  float *in, *out;
  cudaMalloc(&in, width * height * sizeof(float));
  cudaMalloc(&out, width * height * sizeof(float));
  dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
  invert<<<grid, block>>>(in, width, height);
  transpose<<<grid, block>>>(in, out, width, height);
  return cudaDeviceSynchronize();
}
