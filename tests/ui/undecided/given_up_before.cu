//@ undecided: 5
// A kernel that is not followed to its end: what it never came to is undecided, also where functions of CUDA's headers do it.

__global__ void jump_into(int *a, const int *b, int n) {
  int i = 0;
  if (n > 3) goto middle;
  while (i < n) {
    i += 2;
middle:
    a[i] = 1;
    atomicAdd(&a[i + 5], 1);
    int v = __ldg(&b[i]), w = max(v, n);
    atomicMax(&a[w], v);
    i++;
  }
  a[n] = 0;
}

int main() {
  int *a, *b;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMalloc(&b, 64 * sizeof(int));
  jump_into<<<1, 1>>>(a, b, 16);
  return cudaDeviceSynchronize();
}
