// Where a vector of four begins is for a buffer to say: multiples of four or not, nothing here knows.
//@ undecided: 1
#include <cstdlib>
__global__ void gather(const float *x, const int *start, float *y, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int s = start[i];
  if (s < 0 || s > 1020) return;
  float4 v = *reinterpret_cast<const float4 *>(x + s);
  float4 w = *reinterpret_cast<const float4 *>(x + s / 4 * 4);
  y[i] = v.x + v.y + w.z + w.w;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  int *h = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) h[i] = rand() % 1000;
  float *x, *y;
  int *start;
  cudaMalloc(&x, 1024 * sizeof(float));
  cudaMalloc(&y, n * sizeof(float));
  cudaMalloc(&start, n * sizeof(int));
  cudaMemcpy(start, h, n * sizeof(int), cudaMemcpyHostToDevice);
  gather<<<(n + 127) / 128, 128>>>(x, start, y, n);
  return cudaDeviceSynchronize();
}
