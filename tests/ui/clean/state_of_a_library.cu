//@ decided
// Variables that no function sets are what they were from the start, whoever calls.
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static int never_set = 32;
static const int sizes[] = {8, 32};
static int written;

void run() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  k<<<1, 64>>>(a, never_set);
  k<<<1, 64>>>(a, sizes[1]);
  written = 32;
  k<<<1, 64>>>(a, written);
  cudaFree(a);
}
