// Memory of the device's own heap, freed and used, or freed again, by the thread that has it.
__global__ void heap(int *out, int n) {
  int *scratch = (int *)malloc(n * sizeof(int));
  int *one = new int[8];
  for (int i = 0; i < 8; i++) one[i] = i;
  for (int i = 0; i < n; i++) scratch[i] = one[i & 7];
  free(scratch);
  if (threadIdx.x == 3) out[threadIdx.x] = scratch[n - 1]; //~ use-after-free proved
  delete[] one;
  if (n > 40) delete[] one; //~ double-free proved
}

int main() {
  int *out;
  cudaMalloc(&out, 32 * sizeof(int));
  heap<<<1, 32>>>(out, 64);
  cudaFree(out);
  return cudaDeviceSynchronize();
}
