//@ undecided: 8
//@ flags: -rdc=true
// A launched kernel cannot use local or shared memory of the thread that launches it: what it does there is not safe, also through a member
// of a structure.
#include <cuda_runtime.h>

__global__ void fill(int *p) { p[threadIdx.x] = 1; }

struct Where {
  int *p;
};
__global__ void fill_there(Where w) { w.p[threadIdx.x] = 2; }

__global__ void lends(int *out) {
  __shared__ int s[32];
  fill<<<1, 32>>>(s);
  out[0] = s[0];
}

__global__ void lends_member(int *out) {
  int own[32];
  Where w = {own};
  fill_there<<<1, 32>>>(w);
  out[1] = own[0];
}

int main() {
  int *out;
  cudaMalloc(&out, 2 * sizeof(int));
  lends<<<1, 1>>>(out);
  lends_member<<<1, 1>>>(out);
  return cudaDeviceSynchronize();
}
