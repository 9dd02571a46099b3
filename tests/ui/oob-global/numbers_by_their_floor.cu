// Coordinates whose comparisons leave room for one more column, for one before the first, or for a NaN.
//@ undecided: 5
#include <cstdlib>
__global__ void beyond(const float *at, float *image, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[i];
  int column = floorf(x);
  if (x <= width && x >= 0) image[column] += 1;
}

__global__ void before(const float *at, float *image, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[i];
  if (x < width && x > -1) image[(int)floorf(x)] = 1;
}

__global__ void upwards(const float *at, float *image, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[i];
  if (x < width && x >= 0) image[(int)ceilf(x)] = 1;
}

__global__ void no_number(const float *at, float *image, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[i];
  if (x < 0 || x >= width) return;
  image[(int)x] = 1;
}

__global__ void no_number_rounded(const float *at, float *image, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = at[i], whole = floorf(x);
  if (whole < 0 || whole >= width) return;
  image[(int)whole] = 1;
}

__global__ void half_clamped(const float *at, float *image, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  image[(int)fmaxf(at[i] * 0.37f, 0.0f)] = 1; //~ oob-global proved
}

__global__ void marched(const float *from, const float *by, float *image, int n, int width) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  float x = from[i];
  while (x >= 0 && x < width) {
    x += by[i];
    image[(int)x] = 1; //~ oob-global possible
  }
}

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int n = atoi(argv[1]), width = atoi(argv[2]);
  if (n < 1 || n > 1 << 20 || width < 1 || width > 4096) return 1;
  float *at, *image, *host = (float *)malloc(n * sizeof(float));
  for (int i = 0; i < n; i++) host[i] = rand() / 1000.0f;
  cudaMalloc(&at, n * sizeof(float));
  cudaMalloc(&image, width * sizeof(float));
  cudaMemcpy(at, host, n * sizeof(float), cudaMemcpyHostToDevice);
  beyond<<<(n + 255) / 256, 256>>>(at, image, n, width);
  before<<<(n + 255) / 256, 256>>>(at, image, n, width);
  upwards<<<(n + 255) / 256, 256>>>(at, image, n, width);
  no_number<<<(n + 255) / 256, 256>>>(at, image, n, width);
  no_number_rounded<<<(n + 255) / 256, 256>>>(at, image, n, width);
  half_clamped<<<(n + 255) / 256, 256>>>(at, image, n, width);
  marched<<<(n + 255) / 256, 256>>>(at, at, image, n, width);
  return 0;
}
