//@ decided
// What destructors free after a reset is refused and harms nothing; what is allocated after it is new.
#include <cstdio>
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

struct Buffer {
  int *p;
  explicit Buffer(int n) { cudaMalloc((void **)&p, n * sizeof(int)); }
  ~Buffer() { cudaFree(p); }
};

int main() {
  cudaSetDevice(0);
  cudaDeviceReset();
  int host[32];
  Buffer a(32);
  fill<<<1, 32>>>(a.p);
  cudaMemcpy(host, a.p, sizeof host, cudaMemcpyDeviceToHost);
  cudaDeviceReset();
  int *again;
  cudaMalloc((void **)&again, 32 * sizeof(int));
  fill<<<1, 32>>>(again);
  cudaDeviceSynchronize();
  cudaFree(again);
  cudaFree(a.p);
  printf("%d\n", host[0]);
  cudaDeviceReset();
  return 0;
}
