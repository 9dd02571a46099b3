//@ undecided: 1
// What `spoil` stores in another stream may be read before `walk` is done.
#include <cstdlib>

__global__ void walk(const int *order, float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[order[i]] = 1;
}

__global__ void spoil(int *order, int m) { order[0] = m; }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 2 || n > 100000 || m < 1 || m > 100000) return 1;
  int *chosen = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) chosen[i] = 0;
  int *order;
  float *a;
  cudaMalloc(&order, n * sizeof(int));
  cudaMalloc(&a, n * sizeof(float));
  cudaMemcpy(order, chosen, n * sizeof(int), cudaMemcpyHostToDevice);
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  walk<<<(n + 127) / 128, 128, 0, s>>>(order, a, n);
  spoil<<<1, 1, 0, t>>>(order, m);
  return cudaDeviceSynchronize();
}
