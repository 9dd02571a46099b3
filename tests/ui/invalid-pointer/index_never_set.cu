//@ snapshot
// Indices that depend on variables which were never set.
__global__ void last(int *a, int n) {
  int i;
  if (n > 100) i = n;
  a[i] = 1; //~ invalid-pointer proved
}
__global__ void count(int *a, int *out, int n) {
  int found;
  for (int j = 0; j < n; j++)
    if (a[j] >= 0) out[found++] = j; //~ invalid-pointer proved
}
__global__ void member(int *a) {
  int2 at;
  at.x = threadIdx.x;
  a[at.x + at.y] = 1; //~ invalid-pointer proved
}
int main() {
  int *a, *b;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 32 * sizeof(int));
  cudaMemset(a, 0, 32 * sizeof(int));
  count<<<1, 1>>>(a, b, 32);
  last<<<1, 1>>>(a, 4);
  member<<<1, 32>>>(a);
  return cudaDeviceSynchronize();
}
