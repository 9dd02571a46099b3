// A block that a round of a loop frees may come again in the next, or not.
//@ undecided: 1
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main() {
  int *a, *old = nullptr;
  for (int i = 0; i < 3; i++) {
    cudaMalloc(&a, 64 * sizeof(int));
    if (i == 2) k<<<1, 128>>>(a, old == a ? 64 : 128);
    old = a;
    cudaFree(a);
  }
  return cudaDeviceSynchronize();
}
