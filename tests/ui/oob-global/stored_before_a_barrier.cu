//@ flags: -Xcompiler -fopenmp
// What a team stores before its last barrier, lock or wait is there behind the region.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void k1(float *s, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n) s[x] = 1; //~ oob-global proved
}

__global__ void k2(float *s, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n) s[x] = 2; //~ oob-global proved
}

__global__ void k3(float *s, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n) s[x] = 3; //~ oob-global proved
}

__global__ void k4(float *s, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n) s[x] = 4; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 4096) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  int c = n, d = n, e = n, f = n, others = 0;
#pragma omp parallel
  {
    k1<<<(n + 63) / 64, 64>>>(a, n);
#pragma omp single
    c = 2 * n;
  }
  k1<<<(c + 63) / 64, 64>>>(a, c);
#pragma omp parallel
#pragma omp single
  {
    k2<<<(n + 63) / 64, 64>>>(a, n);
#pragma omp task shared(d)
    d = 2 * n;
#pragma omp taskwait
  }
  k2<<<(d + 63) / 64, 64>>>(a, d);
#pragma omp parallel
  {
    k3<<<(n + 63) / 64, 64>>>(a, n);
#pragma omp for reduction(max : e)
    for (int i = 0; i < 2 * n; i++) e = e > i + 1 ? e : i + 1;
  }
  k3<<<(e + 63) / 64, 64>>>(a, e);
#pragma omp parallel
  {
    k4<<<(n + 63) / 64, 64>>>(a, n);
#pragma omp critical
    f = 2 * n;
#pragma omp critical
    others++;
  }
  k4<<<(f + 63) / 64, 64>>>(a, f);
  return cudaDeviceSynchronize();
}
