//@ decided
// Memory of the device's own heap, freed after its last use.
__global__ void heap(int *out, int n) {
  int *scratch = (int *)malloc(n * sizeof(int));
  if (!scratch) return;
  for (int i = 0; i < n; i++) scratch[i] = i;
  out[threadIdx.x] = scratch[n - 1];
  free(scratch);
  scratch = nullptr;
  free(scratch);
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  heap<<<1, 32>>>(out, 64);
  cudaFree(out);
  return cudaDeviceSynchronize();
}
