// A copy of a structure reads and writes at one place: what is out of bounds on one side is said of that side alone.
//@ undecided: 2
#include <cstdlib>
#include <math.h>

struct Point { float x, y, z; };

__global__ void roots(int *at, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) at[i] = int(sqrtf(float(i)));
}

__global__ void gather(const Point *from, const int *at, Point *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[at[i]]; //~ oob-global proved
}

__global__ void scatter(const Point *from, const int *at, Point *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[at[i]] = from[i]; //~ oob-global proved
}

__global__ void shifted(Point *all, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) all[i + 1] = all[i]; //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  if (n < 2 || n > 1000) return 1;
  int *at;
  Point *whole, *part;
  cudaMalloc(&at, n * sizeof(int));
  cudaMalloc(&whole, n * sizeof(Point));
  cudaMalloc(&part, (n - 1) * sizeof(Point));
  cudaMemset(whole, 0, n * sizeof(Point));
  roots<<<(n + 255) / 256, 256>>>(at, n);
  gather<<<(n + 255) / 256, 256>>>(whole, at, part, n);
  scatter<<<(n + 255) / 256, 256>>>(part, at, whole, n);
  shifted<<<(n + 255) / 256, 256>>>(whole, n);
  cudaDeviceSynchronize();
}
