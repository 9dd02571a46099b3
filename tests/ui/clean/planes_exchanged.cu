// Numbers that exchange their values in each iteration, as the planes of a stencil do, are each one of the first ones, and no two the same.
//@ decided
#include <cstdlib>
__global__ void smooth(float *out, const float *in, int n) {
  __shared__ float planes[3][64], sums[64];
  int before = 0, here = 1, behind = 2;
  planes[before][threadIdx.x] = 0;
  planes[here][threadIdx.x] = 0;
  for (int i = 0; i < n; i++) {
    planes[behind][threadIdx.x] = in[i * 64 + threadIdx.x];
    // One number each: their sum is 3, and no two are equal.
    sums[(before + here + behind - 3) * 64 + threadIdx.x] = planes[before][threadIdx.x] + planes[here][threadIdx.x];
    int spread = (before - here) * (here - behind) * (behind - before);
    out[i * 64 + threadIdx.x + (spread == 2 ? 0 : 1 << 20)] = sums[threadIdx.x] + planes[behind][threadIdx.x];
    int t = before;
    before = here;
    here = behind;
    behind = t;
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1000) return 1;
  float *in, *out;
  cudaMalloc(&in, n * 64 * sizeof(float));
  cudaMalloc(&out, n * 64 * sizeof(float));
  cudaMemset(in, 0, n * 64 * sizeof(float));
  smooth<<<1, 64>>>(out, in, n);
  return cudaDeviceSynchronize();
}
