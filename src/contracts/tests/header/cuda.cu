#include "scuba.h"

#define N 256

__device__ float load(const float *x, int i) {
  SCUBA_ELEMENTS(x, i + 1);
  return x[i];
}

struct rows {
  const float *data SCUBA_COUNTED_BY(n);
  int n;
};

__global__ void gather(float *out, rows x, const int *index, int n) {
  SCUBA_REQUIRES(elements(out) >= n && gridDim.x * blockDim.x >= n && n <= N);
  SCUBA_REQUIRES("forall i in [0, n): 0 <= index[i] && index[i] < x.n");
  SCUBA_EXTENT(index, 4 * n);
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = load(x.data, index[i]);
}

SCUBA_ENTRY void launch(float *out, rows x, const int *index, int n) {
  SCUBA_REQUIRES(n > 0 && disjoint(out, x.data));
  gather<<<(n + N - 1) / N, N>>>(out, x, index, n);
}
