// What every launch keeps of an array holds behind it, in loops that launch and behind launches under conditions.
//@ decided
#include <cstdlib>
#include <cstdio>
#include <cuda_runtime.h>

__global__ void jump(int *parent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) parent[i] = parent[parent[i]];
}

__global__ void hook(int *parent, const int *from, const int *to, int m) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m) parent[from[i]] = parent[to[i]];
}

__global__ void mark(int *out, const int *parent, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[parent[i]] = 1;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]), m = atoi(argv[2]), rounds = atoi(argv[3]);
  if (n < 1 || n > 100000 || m < 1 || m > 100000) return 1;
  int *h = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) h[i] = i;
  int *parent, *from, *to, *out;
  cudaMalloc(&parent, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&from, m * sizeof(int));
  cudaMalloc(&to, m * sizeof(int));
  int *e = (int *)malloc(m * sizeof(int));
  for (int i = 0; i < m; i++) e[i] = rand() % n;
  cudaMemcpy(from, e, m * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(to, e, m * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(parent, h, n * sizeof(int), cudaMemcpyHostToDevice);
  for (int r = 0; r < rounds; r++) {
    hook<<<(m + 255) / 256, 256>>>(parent, from, to, m);
    for (int s = n; s > 1; s /= 2) jump<<<(n + 255) / 256, 256>>>(parent, n);
    if (r % 2) jump<<<(n + 255) / 256, 256>>>(parent, n);
  }
  mark<<<(n + 255) / 256, 256>>>(out, parent, n);
  cudaDeviceSynchronize();
  return 0;
}
