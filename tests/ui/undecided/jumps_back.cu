// Where `longjmp` comes back to, anything may have been written.
//@ undecided: 1
#include <csetjmp>

static jmp_buf back;
static int n = 8, *a;

__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void fails() {
  n = 64;
  longjmp(back, 1);
}

int main() {
  cudaMalloc(&a, 32 * sizeof(int));
  if (setjmp(back) == 0) fails();
  k<<<1, 64>>>(a, n);
  return cudaDeviceSynchronize();
}
