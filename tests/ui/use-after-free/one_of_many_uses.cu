// Many uses of freed memory cannot happen; one that can is found behind them.
#include <cstdlib>

__global__ void sums(const int *p, int *out, int n) {
  int t = threadIdx.x, x = 0;
  if (n < 5) {
    x += p[t] + p[t + 1] + p[t + 2] + p[t + 3] + p[t + 4];
    x += p[t + 5] + p[t + 6] + p[t + 7] + p[t + 8] + p[t + 9];
  }
  out[t] = x + p[2 * t];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  int *p, *out;
  cudaMalloc(&p, 128 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(p, 0, 128 * sizeof(int));
  if (n > 10) cudaFree(p);
  sums<<<1, 64>>>(p, out, n); //~ use-after-free proved
  return cudaDeviceSynchronize();
}
