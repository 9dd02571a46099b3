// A file that is too short leaves in each of two arrays what was there before: the check of one says nothing of the other. Small runs
// with files show both.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__global__ void gather(const int *order, const float *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int j = order[i];
    float v = from[j]; //~ data-index proved
    to[i] = v;
  }
}

// How far a file was read is not how far it was asked for.
__global__ void last(float *to, int n) { to[n - 1] = 0; } //~ oob-global proved

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  FILE *file = fopen(argv[2], "rb");
  if (!file) return 1;
  int *checked = (int *)calloc(n, sizeof(int)), *used = (int *)malloc(n * sizeof(int));
  memset(used, 1, n * sizeof(int));
  fread(checked, sizeof(int), n, file);
  long position = ftell(file);
  for (int i = 0; i < n; i++)
    if (checked[i] < 0 || checked[i] >= n) return 1;
  rewind(file);
  fread(used, sizeof(int), n, file);
  int *order;
  float *from, *to, *read;
  cudaMalloc(&order, n * sizeof(int));
  cudaMalloc(&from, n * sizeof(float));
  cudaMalloc(&to, n * sizeof(float));
  cudaMalloc(&read, position);
  cudaMemcpy(order, used, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 127) / 128, 128>>>(order, from, to, n);
  last<<<1, 1>>>(read, n);
  cudaDeviceSynchronize();
  return 0;
}
