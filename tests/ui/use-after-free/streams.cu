// Frees in stream order, of pinned and of managed memory; copies and fills of what was freed.
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main() {
  cudaStream_t s;
  cudaStreamCreate(&s);
  int *a, *pinned, *managed, host[32];
  cudaMallocAsync((void **)&a, 32 * sizeof(int), s);
  fill<<<1, 32, 0, s>>>(a);
  cudaFreeAsync(a, s);
  cudaMemcpyAsync(host, a, sizeof host, cudaMemcpyDeviceToHost, s); //~ use-after-free proved
  fill<<<1, 32, 0, s>>>(a); //~ use-after-free proved
  cudaMallocHost(&pinned, 32 * sizeof(int));
  cudaFreeHost(pinned);
  fill<<<1, 32, 0, s>>>(pinned); //~ use-after-free proved
  cudaMallocManaged(&managed, 32 * sizeof(int));
  fill<<<1, 32, 0, s>>>(managed);
  cudaFree(managed);
  cudaMemset(managed, 0, 32 * sizeof(int)); //~ use-after-free proved
  managed[3] = host[3]; //~ use-after-free proved
  return cudaDeviceSynchronize();
}
