// Launches of one kernel for one size after the other: each is safe unless its sizes wrap, and an argument lets them.
#include <cstdlib>

__global__ void sums(int n, int c, int size, const int *x, int *sum) {
  int channel = blockIdx.x, total = 0;
  for (int i = threadIdx.x; i < n * size; i += blockDim.x) {
    int index = i * c + channel;
    total += x[index]; //~ index-overflow proved
  }
  if (threadIdx.x == 0) sum[channel] = total;
}

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]);
  for (int n = 1; n <= 64; n *= 4)
    for (int c = 32; c <= 512; c *= 4) {
      int all = n * c * w * h;
      int *x, *sum;
      if (cudaMalloc(&x, all * sizeof(int)) != cudaSuccess) return 1;
      if (cudaMalloc(&sum, c * sizeof(int)) != cudaSuccess) return 1;
      cudaMemset(x, 0, all * sizeof(int));
      sums<<<c, 256>>>(n, c, w * h, x, sum);
      cudaFree(x);
      cudaFree(sum);
    }
  return cudaDeviceSynchronize();
}
