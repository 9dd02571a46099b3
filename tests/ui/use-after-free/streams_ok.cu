//@ decided
// The same, in the right order.
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  int *a, *pinned, *managed, host[32];
  cudaMallocAsync((void **)&a, 32 * sizeof(int), s);
  fill<<<1, 32, 0, s>>>(a);
  cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, s);
  cudaFreeAsync(a, s);
  cudaMallocHost(&pinned, 32 * sizeof(int));
  fill<<<1, 32, 0, s>>>(pinned);
  cudaStreamSynchronize(s);
  cudaFreeHost(pinned);
  cudaMallocManaged(&managed, 32 * sizeof(int));
  cudaMemset(managed, 0, 32 * sizeof(int));
  fill<<<1, 32, 0, s>>>(managed);
  cudaDeviceSynchronize();
  managed[3] = host[3];
  cudaFree(managed);
  cudaStreamDestroy(s);
  cudaDeviceReset();
  return 0;
}
