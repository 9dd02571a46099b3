// As clean/checked_by_flags.cu, but each check leaves something out.
#include <cstdlib>
#include <cstdio>

__global__ void gather(float *out, const float *in, const int *list, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = in[list[i]]; //~ data-index proved
}

__global__ void scatter(float *out, const int *list, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[list[i]] = i; //~ data-index proved
}

__global__ void last(float *out, int n) { out[n] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  int *from = (int *)malloc(n * sizeof(int)), *to = (int *)malloc(n * sizeof(int)), *rows = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) {
    if (scanf("%d %d", &from[i], &to[i]) != 2) return 1;
    rows[i] = n - i;
  }
  bool usable = true;
  for (int i = 0; i < n; i++) if (from[i] < 0 || from[i] > n) usable = false;
  if (!usable) return 1;
  int wrong = 0;
  for (int i = 1; i < n; i++) wrong += to[i] < 0 || to[i] >= n;
  if (wrong) return 1;
  float *in, *out;
  int *list;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&list, n * sizeof(int));
  cudaMemcpy(list, from, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 255) / 256, 256>>>(out, in, list, n);
  cudaMemcpy(list, to, n * sizeof(int), cudaMemcpyHostToDevice);
  scatter<<<(n + 255) / 256, 256>>>(out, list, n);
  for (int i = 0; i < n; i++) if (rows[i] > n) return 1;
  last<<<1, 1>>>(out, n);
  return cudaDeviceSynchronize();
}
