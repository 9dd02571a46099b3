//@ decided
//@ flags: -rdc=true
// Kernels that launch kernels: arguments that depend on the launching thread, structures by value, two levels, a kernel that launches itself,
// and launches in a loop.
#include <cstdlib>
#include <cuda_runtime.h>

struct Part {
  float *data;
  int from, to;
};

__global__ void scale(Part p) {
  int i = p.from + blockIdx.x * blockDim.x + threadIdx.x;
  if (i < p.to) p.data[i] *= 2.0f;
}

__global__ void rows(float *m, int height, int width) {
  int y = blockIdx.x * blockDim.x + threadIdx.x;
  if (y < height) {
    Part p = {m + (size_t)y * width, 0, width};
    scale<<<(width + 127) / 128, 128>>>(p);
  }
}

__global__ void all(float *m, int height, int width) {
  if (threadIdx.x == 0 && blockIdx.x == 0) rows<<<(height + 63) / 64, 64>>>(m, height, width);
}

__global__ void again(float *m, int n, int depth) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) m[i] += depth;
  if (i == 0 && depth > 0) again<<<(n + 255) / 256, 256>>>(m, n, depth - 1);
}

__global__ void chunk(float *m, int n) {
  if (threadIdx.x < n) m[threadIdx.x] = 0;
}

__global__ void chunks(float *m, int n) {
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  for (int at = 0; at < n; at += 256) {
    int rest = n - at < 256 ? n - at : 256;
    chunk<<<1, 256, 0, s>>>(m + at, rest);
  }
  cudaStreamDestroy(s);
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int height = atoi(argv[1]), width = atoi(argv[2]);
  if (height < 1 || height > 1000 || width < 1 || width > 1000) return 1;
  int n = height * width;
  float *m;
  cudaMalloc(&m, n * sizeof(float));
  all<<<1, 32>>>(m, height, width);
  again<<<(n + 255) / 256, 256>>>(m, n, 3);
  chunks<<<1, 1>>>(m, n);
  cudaDeviceSynchronize();
  cudaFree(m);
  return 0;
}
