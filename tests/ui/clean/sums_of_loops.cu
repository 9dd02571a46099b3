//@ decided
// What loops count and add up, and unsigned counters that go down to zero.
#include <cstdlib>

__global__ void backwards(float *a, int n) {
  for (unsigned i = n; i-- > 0;) a[i] = 0;
}

__global__ void even_ones(float *half, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && i % 2 == 0) half[i / 2] = i;
}

__global__ void diagonal(float *packed, int n) {
  int first = 0;
  for (int row = 0; row < n; row++) {
    packed[first] = row;
    first += row + 1;
  }
}

__global__ void level(float *tree, int n) {
  unsigned char depth = 0;
  for (int left = n; left > 1; left /= 2) depth++;
  tree[depth] = 1;
}

__global__ void behind(float *a, int n) {
  int later = 0;
  for (int i = 0; i < n; i++) if (i > 3) later++;
  if (later < n) a[later] = 1;
}

__global__ void few(float *a, signed char n) {
  if (threadIdx.x < n) a[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100) return 1;
  int even = 0, total = 0;
  for (int i = 0; i < n; i++) if (i % 2 == 0) even++;
  for (int i = 0; i < n; i++) total += i + 1;
  float *a, *half, *packed, *tree;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&half, even * sizeof(float));
  cudaMalloc(&packed, total * sizeof(float));
  cudaMalloc(&tree, 7 * sizeof(float));
  backwards<<<1, 1>>>(a, n);
  even_ones<<<(n + 31) / 32, 32>>>(half, n);
  diagonal<<<1, 1>>>(packed, n);
  level<<<1, 1>>>(tree, n);
  behind<<<1, 1>>>(a, n);
  few<<<1, 128>>>(a, n);
  return cudaDeviceSynchronize();
}
