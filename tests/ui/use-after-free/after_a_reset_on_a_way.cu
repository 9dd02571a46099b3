// A reset where an option asks for it; and a copy from what it ended.
#include <cstdlib>
#include <cstring>
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

void clean(bool all) {
  if (all) cudaDeviceReset();
}

int main(int argc, char **argv) {
  int n = 1000;
  float *a, *host = (float *)malloc(n * sizeof(float));
  cudaMalloc((void **)&a, n * sizeof(float));
  fill<<<4, 256>>>(a, n);
  clean(argc > 3);
  cudaMemcpy(host, a, n * sizeof(float), cudaMemcpyDeviceToHost); //~ use-after-free proved
  cudaFree(a);
  free(host);
  return 0;
}
