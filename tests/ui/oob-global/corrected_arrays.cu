//@ decided
// Arrays that a loop corrects, but not all of it.
#include <cstdlib>

__global__ void keep_top(float *out, const float *a, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[index[i]]; //~ oob-global proved
}

__global__ void keep_first(float *out, const float *a, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[index[i]]; //~ oob-global proved
}

__global__ void one_off(float *out, const float *a, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = a[index[i]]; //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 16;
  if (n < 1 || n > 200) return 1;
  int *h = (int *)malloc(n * sizeof(int));
  int *index;
  float *a, *out;
  cudaMalloc(&index, n * sizeof(int));
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));

  // `n` itself is left.
  for (int i = 0; i < n; i++) h[i] = 2 * i;
  for (int i = 0; i < n; i++) if (h[i] > n) h[i] = 0;
  cudaMemcpy(index, h, n * sizeof(int), cudaMemcpyHostToDevice);
  keep_top<<<(n + 255) / 256, 256>>>(out, a, index, n);

  // The first element is left.
  for (int i = 0; i < n; i++) h[i] = n - i;
  for (int i = 1; i < n; i++) if (h[i] >= n) h[i] = 0;
  cudaMemcpy(index, h, n * sizeof(int), cudaMemcpyHostToDevice);
  keep_first<<<(n + 255) / 256, 256>>>(out, a, index, n);

  // What is right is made wrong again.
  for (int i = 0; i < n; i++) h[i] = i;
  for (int i = 0; i < n; i++) if (i % 2 == 1) h[i] = h[i] + 1;
  cudaMemcpy(index, h, n * sizeof(int), cudaMemcpyHostToDevice);
  one_off<<<(n + 255) / 256, 256>>>(out, a, index, n);
  return cudaDeviceSynchronize();
}
