// What one launch keeps of an array does not hold where another launch, the host or a launch that does not run changes that.
//@ decided
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void jump(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] = p[p[i]]; } //~ oob-global proved
__global__ void twist(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] = p[i] + 1; }
__global__ void half(int *p, int n) { int i = threadIdx.x; if (i < n) ((short *)p)[2 * i] = 77; }
__global__ void zero(int *p, int n) { int i = threadIdx.x; if (i < n) p[i] = 0; }
__global__ void rounds(int *out, const int *p, int n) { int i = threadIdx.x; if (i < n) out[p[i]] = 1; } //~ oob-global proved
__global__ void pieces(int *out, const int *p, int n) { int i = threadIdx.x; if (i < n) out[p[i]] = 1; } //~ oob-global proved
__global__ void uploaded(int *out, const int *p, int n) { int i = threadIdx.x; if (i < n) out[p[i]] = 1; } //~ oob-global proved
__global__ void on_one_way(int *out, const int *p, int n) { int i = threadIdx.x; if (i < n) out[p[i]] = 1; } //~ oob-global proved
__global__ void in_part(int *out, const int *p, int n) { int i = threadIdx.x; if (i < n) out[p[i]] = 1; } //~ oob-global proved
__global__ void shorter(int *out, const int *p, int n) { int i = threadIdx.x; if (i < n) out[p[i]] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
  int n = atoi(argv[1]), c = atoi(argv[2]);
  if (n < 1 || n > 64) return 1;
  int *h = (int *)malloc(n * sizeof(int));
  for (int i = 0; i < n; i++) h[i] = i;
  int *p, *out;
  cudaMalloc(&p, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));

  // A round that does not keep it.
  cudaMemcpy(p, h, n * sizeof(int), cudaMemcpyHostToDevice);
  for (int r = 0; r < c; r++) {
    jump<<<1, 64>>>(p, n);
    if (r == 2) { twist<<<1, 64>>>(p, n); continue; }
    rounds<<<1, 64>>>(out, p, n);
  }

  // A store to a part of each number.
  cudaMemcpy(p, h, n * sizeof(int), cudaMemcpyHostToDevice);
  zero<<<1, 64>>>(p, n);
  half<<<1, 64>>>(p, n);
  pieces<<<1, 64>>>(out, p, n);

  // The host, between the rounds.
  cudaMemcpy(p, h, n * sizeof(int), cudaMemcpyHostToDevice);
  for (int r = 0; r < c; r++) {
    uploaded<<<1, 64>>>(out, p, n);
    zero<<<1, 64>>>(p, n);
    h[0] = n;
    cudaMemcpy(p, h, sizeof(int), cudaMemcpyHostToDevice);
  }

  // A launch on one way only.
  for (int i = 0; i < n; i++) h[i] = n;
  cudaMemcpy(p, h, n * sizeof(int), cudaMemcpyHostToDevice);
  if (c > 2) zero<<<1, 64>>>(p, n);
  on_one_way<<<1, 64>>>(out, p, n);

  // All but one element.
  cudaMemcpy(p, h, n * sizeof(int), cudaMemcpyHostToDevice);
  zero<<<1, 64>>>(p, n - 1);
  in_part<<<1, 64>>>(out, p, n);

  // Another array, which is shorter.
  int *less;
  cudaMalloc(&less, (n + 1) / 2 * sizeof(int));
  for (int i = 0; i < n; i++) h[i] = i;
  cudaMemcpy(p, h, n * sizeof(int), cudaMemcpyHostToDevice);
  zero<<<1, 1>>>(p, 1);
  shorter<<<1, 64>>>(less, p, n);
  return cudaDeviceSynchronize();
}
