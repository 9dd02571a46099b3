// A function that is called after `main`: what it launches is not followed.
//@ undecided: 1
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static int *a, n = 8;

__attribute__((destructor)) static void last() { k<<<1, 64>>>(a, n); }

int main() {
  cudaMalloc(&a, 32 * sizeof(int));
  k<<<1, 64>>>(a, n);
  n = 64;
  return cudaDeviceSynchronize();
}
