// Outputs of a convolution and of an enlarged image: a window that is too large, a guard that lets one column more through, a size that is rounded up.
#include <cstdlib>

__global__ void strided(const float *in, float *out, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= c * 15 * 31) return;
  int ox = i % 31, oy = i / 31 % 15, z = i / (31 * 15);
  float sum = 0;
  for (int ky = 0; ky < 5; ky++)
    for (int kx = 0; kx < 3; kx++) sum += in[(z * 32 + oy * 2 + ky) * 64 + ox * 2 + kx]; //~ oob-global proved
  out[(z * 15 + oy) * 31 + ox] = sum;
}

__global__ void guarded(const float *in, float *out, int c, int h, int w, int k) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= c * h * w) return;
  int ox = i % w, oy = i / w % h, z = i / (w * h);
  float sum = 0;
  for (int ky = 0; ky < k; ky++)
    for (int kx = 0; kx < k; kx++) {
      int y = oy + ky - k / 2, x = ox + kx - k / 2;
      if (y >= 0 && y < h && x >= 0 && x <= w) sum += in[(z * h + y) * w + x]; //~ oob-global proved
    }
  out[i] = sum;
}

__global__ void enlarged(const float *in, float *out, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= c * 64 * 128) return;
  int ox = i % 128, oy = i / 128 % 64, z = i / 128 / 64;
  out[i] = in[(z * 32 + (oy + 1) / 2) * 64 + ox / 2]; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int c = atoi(argv[1]), h = atoi(argv[2]), w = atoi(argv[3]);
  if (c < 1 || c > 100 || h < 3 || h > 1000 || w < 3 || w > 1000) return 1;
  float *in, *out, *images, *large;
  cudaMalloc(&in, c * h * w * sizeof(float));
  cudaMalloc(&out, c * h * w * sizeof(float));
  cudaMalloc(&images, c * 32 * 64 * sizeof(float));
  cudaMalloc(&large, c * 64 * 128 * sizeof(float));
  cudaMemset(in, 0, c * h * w * sizeof(float));
  cudaMemset(images, 0, c * 32 * 64 * sizeof(float));
  strided<<<(c * 15 * 31 + 255) / 256, 256>>>(images, large, c);
  guarded<<<(c * h * w + 255) / 256, 256>>>(in, out, c, h, w, 3);
  enlarged<<<(c * 64 * 128 + 255) / 256, 256>>>(images, large, c);
  return cudaDeviceSynchronize();
}
