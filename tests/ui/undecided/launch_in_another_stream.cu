// The default stream waits for no launch in a stream that does not wait: what the host stores meanwhile may be overwritten.
//@ undecided: 1
#include <cstdio>
#include <cstdlib>
#include <cstdint>
#include <cstring>
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
__global__ void set(int *m) { *m = 64; }
int main(int argc, char **argv) {
  int *m; cudaMallocManaged(&m, 4);
  cudaStream_t s; cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  set<<<1, 1, 0, s>>>(m);
  cudaStreamSynchronize(0);
  *m = 16;
  int n = *m;
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
