// A loop that a replay skips sorts by a function that changes a size.
//@ undecided: 1
#include <cstdlib>

__global__ void fill(float *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1;
}

int size = 11;

int compare(const void *x, const void *y) {
  if (*(const int *)x > 29000000) size = 10;
  return *(const int *)x - *(const int *)y;
}

int main() {
  const int N = 30000000;
  int *h = (int *)malloc(N * sizeof(int));
  for (int i = 0; i < N; i++) {
    int t[3] = {i, 2 * i, 7};
    if (i % 1000 == 0) qsort(t, 3, sizeof(int), compare);
    h[i] = t[0] + t[1] * t[2];
  }
  float *a;
  cudaMalloc(&a, 10 * sizeof(float));
  fill<<<1, 32>>>(a, size);
  cudaDeviceSynchronize();
  return h[5];
}
