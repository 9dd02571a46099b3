// A variable of the device that the host changes between two of many launches.
__device__ int limit = 10;

__global__ void fill(int *p, int n) {
  if (threadIdx.x < limit) p[threadIdx.x] = n; //~ oob-global proved
}

int main() {
  int *p, larger = 11;
  cudaMalloc(&p, 10 * sizeof(int));
  for (int i = 0; i < 6; i++) fill<<<1, 256>>>(p, i);
  cudaMemcpyToSymbol(limit, &larger, sizeof larger);
  for (int i = 6; i < 12; i++) fill<<<1, 256>>>(p, i);
  return cudaDeviceSynchronize();
}
