// Kernels write constant variables whose addresses the host asked for.
//@ decided
__constant__ int first[4] = {0, 1, 2, 3};
__constant__ int second[4];
__global__ void spoil(int *p) { p[0] = 1000; }
__global__ void spoil_all(int *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1000; }
__global__ void use_first(int *out) { out[first[0]] = 1; } //~ oob-global proved
__global__ void use_second(int *out) { out[second[threadIdx.x]] = 1; } //~ oob-global proved

int main() {
  int *out;
  void *p;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaGetSymbolAddress(&p, first);
  spoil<<<1, 1>>>((int *)p);
  use_first<<<1, 1>>>(out);
  cudaGetSymbolAddress(&p, second);
  cudaMemset(p, 0, sizeof second);
  spoil_all<<<1, 4>>>((int *)p, 4);
  use_second<<<1, 4>>>(out);
  return cudaDeviceSynchronize();
}
