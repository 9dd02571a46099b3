// Coordinates that only their comparisons bound: guards before and behind the conversion, clamps, samples between pixels.
//@ decided
#include <cstdlib>
__global__ void guarded(const float *at, float *image, int n, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[2 * i], y = at[2 * i + 1];
  int column = floorf(x), row = floorf(y);
  if (x < width && y < height && x >= 0 && y >= 0) image[row * width + column] += 1;
}

__device__ float between(const float *image, int height, int width, float y, float x) {
  if (y < -1.0f || y > height || x < -1.0f || x > width || y != y || x != x) return 0;
  if (y <= 0) y = 0;
  if (x <= 0) x = 0;
  int low = (int)y, left = (int)x, high, right;
  if (low >= height - 1) {
    high = low = height - 1;
    y = (float)low;
  } else {
    high = low + 1;
  }
  if (left >= width - 1) {
    right = left = width - 1;
    x = (float)left;
  } else {
    right = left + 1;
  }
  float down = y - low, across = x - left;
  return (1 - down) * (1 - across) * image[low * width + left] + down * across * image[high * width + right];
}

__global__ void sampled(const float *at, const float *image, float *out, int n, int width, int height) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = between(image, height, width, at[2 * i + 1], at[2 * i]);
}

__global__ void clamped(const float *at, const float *table, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int entry = (int)fminf(fmaxf(at[i] * 0.37f, 0.0f), 255.0f);
  out[i] = table[entry];
}

__global__ void marched(const float *from, const float *by, const float *image, float *out, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = from[i], sum = 0;
  while (x >= 0 && x < width) {
    sum += image[(int)x];
    x += by[i];
  }
  out[i] = sum;
}

int main(int argc, char **argv) {
  if (argc != 4) return 1;
  int n = atoi(argv[1]), width = atoi(argv[2]), height = atoi(argv[3]);
  if (n < 1 || n > 1 << 20 || width < 1 || width > 4096 || height < 1 || height > 4096) return 1;
  float *at, *image, *out, *table, *host = (float *)malloc(2 * n * sizeof(float));
  for (int i = 0; i < 2 * n; i++) host[i] = rand() / 1000.0f;
  cudaMalloc(&at, 2 * n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&image, width * height * sizeof(float));
  cudaMalloc(&table, 256 * sizeof(float));
  cudaMemcpy(at, host, 2 * n * sizeof(float), cudaMemcpyHostToDevice);
  guarded<<<(n + 255) / 256, 256>>>(at, image, n, width, height);
  sampled<<<(n + 255) / 256, 256>>>(at, image, out, n, width, height);
  clamped<<<(n + 255) / 256, 256>>>(at, table, out, n);
  marched<<<(n + 255) / 256, 256>>>(at, at + n, image, out, n, width);
  return 0;
}
