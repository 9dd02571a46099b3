// What a loop inside another one computes differs between the iterations of the outer loop: a check of the first number says nothing of
// the last.
//@ undecided: 1
#include <cstdio>
#include <cstdlib>
__global__ void write(float *x, int a) { x[a] = 1; }
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100) return 1;
  int *tmp = (int *)malloc(4 * n);
  int *out = (int *)malloc(4 * n);
  for (int i = 0; i < n; i++) {
    int j = 0;
    do { tmp[j] = rand(); } while (++j < n);
    out[i] = tmp[0];
  }
  if (out[0] < 0 || out[0] >= 100) return 1;
  float *x;
  cudaMalloc(&x, 400);
  write<<<1, 1>>>(x, out[n - 1]);
  cudaDeviceSynchronize();
}
