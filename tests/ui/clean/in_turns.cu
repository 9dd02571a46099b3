//@ decided
// Variables that take turns between two values: each form exact, in the loop and behind it.
#include <cstdlib>

__global__ void pairs(float *a, int n) {
  int odd = 0;
  for (int s = 0; s < n; s++) {
    a[s - odd] = s;
    odd = 1 - odd;
  }
}

__global__ void rows(float *two, int n, int rounds) {
  unsigned row = 0;
  for (int s = 0; s < rounds; s++) {
    if (threadIdx.x < n) two[row * n + threadIdx.x] = s;
    row ^= 1;
  }
}

__global__ void mirrored(float *a, int n, int rounds) {
  int i = threadIdx.x;
  if (i >= n) return;
  for (int s = 0; s < rounds; s++) {
    a[i] = s;
    i = n - 1 - i;
  }
}

__global__ void wrapped(float *a, int n, int rounds) {
  unsigned i = 3;
  for (int s = 0; s < rounds; s++) {
    if (i < n) a[i + n - 4] = s;
    i = 1 - i;
  }
}

__global__ void last(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

__global__ void each(float *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 2; }

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  if (n < 4 || n > 100 || rounds < 1 || rounds > 1000) return 1;
  int now = 0;
  for (int s = 0; s < rounds; s++) now = 1 - now;
  float *a, *two, *more;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&two, 2 * n * sizeof(float));
  cudaMalloc(&more, (n + now) * sizeof(float));
  float *both[2];
  int sizes[2], at = 0;
  for (int s = 0; s < 2; s++) {
    cudaMalloc(&both[at], (n + at) * sizeof(float));
    sizes[at] = n + at;
    at = 1 - at;
  }
  pairs<<<1, 1>>>(a, n);
  rows<<<1, 128>>>(two, n, rounds);
  mirrored<<<1, 128>>>(a, n, rounds);
  wrapped<<<1, 1>>>(a, n, rounds);
  last<<<1, 128>>>(more, n + rounds % 2);
  for (int s = 0; s < 2; s++) each<<<1, 128>>>(both[s], sizes[s]);
  return cudaDeviceSynchronize();
}
