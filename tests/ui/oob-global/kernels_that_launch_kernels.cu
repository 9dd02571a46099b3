//@ undecided: 2
//@ flags: -rdc=true
// What kernels launch is followed: the inner kernel goes wrong there, although it does not where the host launches it, and what it writes
// counts behind it.
#include <cuda_runtime.h>

__global__ void inner(int *a, int n) {
  __shared__ int s[32];
  s[threadIdx.x] = n; //~ oob-shared proved
  a[threadIdx.x] = s[0]; //~ oob-global proved
}

__global__ void outer(int *a, int n) { inner<<<1, n>>>(a, n); }

__global__ void writes(int *a) { a[0] = 5; }

__global__ void through_a_pointer(int *a) { writes<<<1, 1>>>(a); }

__global__ void uses(const int *a, int *b) { b[a[0]] = 1; } //~ oob-global proved

__device__ int variable = 9;
static __device__ int another = 9;

__global__ void sets() { variable = 0; another = 0; }

__global__ void without_arguments() { sets<<<1, 1>>>(); }

__global__ void starts(int *a) { a[0] = 9; }

__global__ void uses_variables(int *b) { b[variable] = b[another]; }

int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 4 * sizeof(int));
  cudaMemset(a, 0, 32 * sizeof(int));
  inner<<<1, 32>>>(a, 1);
  outer<<<1, 1>>>(a, 64);
  cudaMemset(a, 0, 32 * sizeof(int));
  through_a_pointer<<<1, 1>>>(a);
  uses<<<1, 1>>>(a, b);
  starts<<<1, 1>>>(a);
  through_a_pointer<<<1, 1>>>(a);
  uses<<<1, 1>>>(a, b);
  without_arguments<<<1, 1>>>();
  uses_variables<<<1, 1>>>(b);
  return cudaDeviceSynchronize();
}
