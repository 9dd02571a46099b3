// Loops whose variables depend on what they were in the round before, and go one too far.
#include <cstdlib>

__global__ void closed(const int *a, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = n;
  while (lo <= hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < i) lo = mid + 1; else hi = mid - 1; //~ oob-global proved
  }
  out[i] = lo;
}
__global__ void behind(const int *a, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int lo = 0, hi = n;
  while (lo < hi) {
    int mid = (lo + hi) / 2;
    if (a[mid] < i) lo = mid + 1; else hi = mid;
  }
  out[i] = a[lo]; //~ oob-global proved
}
__global__ void probe(int *table, int n) {
  unsigned slot = threadIdx.x % (unsigned)n;
  for (int tries = 0; tries < 4; tries++) {
    table[slot] = 1; //~ oob-global proved
    slot = (slot + 1) % (unsigned)(n + 1);
  }
}
__global__ void ring(float *out, int n, int rounds) {
  int at = 0;
  for (int r = 0; r < rounds; r++) {
    out[at] = r; //~ oob-global proved
    if (++at > n) at = 0;
  }
}
__global__ void in_turns(float *out, int n, int rounds) {
  int side = 0;
  for (int r = 0; r < rounds; r++) {
    if (threadIdx.x < n) out[side * n + threadIdx.x] = r; //~ oob-global proved
    side = 2 - side;
  }
}
__global__ void heap(int *a, int n) {
  int i = 0;
  while (2 * i + 1 < n) {
    int c = 2 * i + 1;
    if (a[c + 1] >= a[c]) c++; //~ oob-global proved
    i = c;
  }
}
__global__ void merge(const int *a, const int *b, int *out, int n) {
  int i = 0, j = 0;
  while (i < n || j < n) {
    if (a[i] < b[j]) out[i + j] = a[i]; else out[i + j] = b[j]; //~ oob-global proved
    if (i <= j) i++; else j++;
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  if (n < 1 || n > 100000) return 1;
  int *a, *b, *both;
  float *out, *halves;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&b, n * sizeof(int));
  cudaMalloc(&both, 2 * n * sizeof(int));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&halves, 2 * n * sizeof(float));
  cudaMemset(a, 0, n * sizeof(int));
  cudaMemset(b, 0, n * sizeof(int));
  int grid = (n + 127) / 128;
  closed<<<grid, 128>>>(a, both, n);
  behind<<<grid, 128>>>(a, both, n);
  probe<<<1, 1>>>(a, n);
  ring<<<1, 1>>>(out, n, rounds);
  in_turns<<<1, 128>>>(halves, n, rounds);
  heap<<<1, 1>>>(b, n);
  merge<<<1, 1>>>(a, b, both, n);
  cudaDeviceSynchronize();
  return 0;
}
