// What is freed by its own function is gone.
__global__ void of_device(int *a) { a[threadIdx.x] = 1; }
__global__ void of_host(int *a) { a[threadIdx.x] = 1; }
__global__ void of_both(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a, *p, *m;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMallocHost(&p, 64 * sizeof(int));
  cudaMallocManaged(&m, 64 * sizeof(int));
  cudaFree(a);
  of_device<<<1, 64>>>(a); //~ use-after-free proved
  cudaFreeHost(p);
  of_host<<<1, 64>>>(p); //~ use-after-free proved
  cudaFree(m);
  of_both<<<1, 64>>>(m); //~ use-after-free proved
  return cudaDeviceSynchronize();
}
