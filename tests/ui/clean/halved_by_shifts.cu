// Reductions whose strides are shifts by the number of the iteration: how often they go round is known.
//@ decided
#include <cstdint>
#include <cstdlib>
#define THREADS 1024
__global__ void doubled(const float *x, int64_t *out, int64_t n) {
  const int64_t t = threadIdx.x;
  __shared__ float best[THREADS];
  __shared__ int64_t at[THREADS];
  best[t] = t < n ? x[t] : 1e38f;
  at[t] = t;
  for (int64_t u = 0; (1 << u) < THREADS; u++) {
    __syncthreads();
    if (t < (THREADS >> (u + 1))) {
      int64_t a = (t * 2) << u;
      int64_t b = (t * 2 + 1) << u;
      if (best[a] > best[b]) {
        best[a] = best[b];
        at[a] = at[b];
      }
    }
  }
  __syncthreads();
  if (t == 0) out[0] = at[0];
}
__global__ void halved(const float *x, float *out, int n) {
  __shared__ float sum[256];
  unsigned t = threadIdx.x;
  sum[t] = t < n ? x[t] : 0;
  for (int s = 1; (256u >> s) > 0; s++) {
    __syncthreads();
    if (t < (256u >> s)) sum[t] += sum[t + (256u >> s)];
  }
  if (t == 0) *out = sum[0];
}
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  if (n < 1 || n > 1000) return 1;
  float *x, *sum;
  int64_t *out;
  cudaMalloc(&x, n * sizeof(float));
  cudaMalloc(&sum, sizeof(float));
  cudaMalloc(&out, sizeof(int64_t));
  doubled<<<1, THREADS>>>(x, out, n);
  halved<<<1, 256>>>(x, sum, n);
}
