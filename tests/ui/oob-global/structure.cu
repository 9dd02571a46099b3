// Pointers and sizes travel in a structure, and one kernel compares with the wrong one.
//@ snapshot
#include <cstdlib>

struct Image {
  float *pixels;
  int width, height;
};

__global__ void clear(Image image) {
  int x = blockIdx.x * 8 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
  if (x < image.width && y < image.height) image.pixels[y * image.width + x] = 0;
}

__global__ void frame(Image image) {
  int x = blockIdx.x * 8 + threadIdx.x;
  if (x <= image.width) image.pixels[(image.height - 1) * image.width + x] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  Image image;
  image.width = atoi(argv[1]);
  image.height = atoi(argv[2]);
  if (image.width < 1 || image.height < 1 || image.width > 2000 || image.height > 2000) return 1;
  cudaMalloc(&image.pixels, image.width * image.height * sizeof(float));
  dim3 blocks((image.width + 7) / 8, (image.height + 7) / 8);
  clear<<<blocks, dim3(8, 8)>>>(image);
  frame<<<blocks.x, 8>>>(image);
  return cudaDeviceSynchronize();
}
