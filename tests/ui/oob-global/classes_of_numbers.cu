// What stands behind `isinf`, `isnan`, `isfinite` and `isnormal` happens, on either side.
#include <cmath>
#include <cstdlib>

__global__ void infinite(const float *in, int *out, int n) {
  int i = threadIdx.x;
  if (i < n && __builtin_isinf(in[i])) out[i + 1] = 1; //~ oob-global possible
}

__global__ void normal(const double *in, int *out, int n) {
  int i = threadIdx.x;
  if (i < n && __builtin_isnormal(in[i])) out[i + 1] = 1; //~ oob-global possible
}

__global__ void finite(const float *in, int *out, int n) {
  int i = threadIdx.x;
  if (i < n && __builtin_isfinite(in[i])) out[i + 1] = 1; //~ oob-global possible
}

__global__ void write(int *out, int n) {
  int i = threadIdx.x;
  if (i <= n) out[i] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = 100, *out;
  float *in;
  double *wide;
  if (__builtin_isfinite(0.5 * n)) {
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&in, n * sizeof(float));
    cudaMalloc(&wide, n * sizeof(double));
    infinite<<<1, 128>>>(in, out, n);
    normal<<<1, 128>>>(wide, out, n);
    finite<<<1, 128>>>(in, out, n);
    write<<<1, 128>>>(out, n);
  }
  return cudaDeviceSynchronize();
}
