//@ undecided: 1
// The host changes memory that both reach while the kernel runs.
#include <cstdlib>

__global__ void walk(const int *order, float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[order[i]] = 1;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 2 || n > 100000 || m < 1 || m > 100000) return 1;
  int *order;
  float *a;
  cudaMallocHost(&order, n * sizeof(int));
  cudaMalloc(&a, n * sizeof(float));
  for (int i = 0; i < n; i++) order[i] = 0;
  walk<<<(n + 127) / 128, 128>>>(order, a, n);
  order[0] = m;
  return cudaDeviceSynchronize();
}
