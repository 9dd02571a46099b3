// Only the largest number that the program accepts is one too many: small runs try the ends of the ranges that it tests. In
// undecided/end_of_a_range.cu the array has one element more.
//@ undecided: 1
#include <cstdlib>
#ifndef MORE
#define MORE 0
#endif
constexpr int most = 45;

__device__ void nth_pair(int *p, int l, int n) {  // the l-th pair of 1..n
  int a = 1;
  while (l >= n - a) l -= n - a++;
  p[0] = a;
  p[1] = a + 1 + l;
}

__global__ void products(const float *w, float *out, int n, int total) {
  __shared__ float s[most + MORE];
  for (int i = threadIdx.x; i < n; i += 32) s[i] = w[i];
  __syncthreads();
  for (int i = threadIdx.x; i < total; i += 32) {
    int p[2];
    nth_pair(p, i, n);
    out[i] = s[p[0]] * s[p[1]];  // places from 1 on //~ oob-shared proved
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 2 || n > most) return 1;
  float *w, *out;
  cudaMalloc(&w, 4 * n);
  cudaMalloc(&out, 4 * n * (n - 1) / 2);
  products<<<1, 32>>>(w, out, n, n * (n - 1) / 2);
  cudaDeviceSynchronize();
}
