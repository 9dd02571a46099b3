//@ undecided: 2
// How often the loops go round depends on a number that the kernel counts up by what it reads: a model that sets it at will shows nothing,
// and the launch depends on the device, so that no replay can tell.
#include <cstdlib>
__device__ bool more(short &num, const int *a) {
  bool updated = false;
  for (short e = threadIdx.x; __any_sync(0xffffffff, e < num - 2); e += 32) {
    bool insert = e < num - 2 && a[e] > 3;
    const int bal = __ballot_sync(0xffffffff, insert);
    num += __popc(bal);
    updated |= __any_sync(0xffffffff, insert);
  }
  return updated;
}

__global__ void grow(const int *idx, const int *a, int n) {
  __shared__ int dist[64];
  if (blockIdx.x >= n) return;
  short num = idx[blockIdx.x];
  if (num > 32 || num < 0) return;
  short count = num;
  do {
    short items = count - 1;
    for (short i = threadIdx.x; i < items; i += 32) dist[i] = 7;
  } while (more(count, a));
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  cudaDeviceProp prop;
  cudaGetDeviceProperties(&prop, 0);
  int *idx, *a;
  cudaMalloc(&idx, n * sizeof(int));
  cudaMalloc(&a, 64 * sizeof(int));
  cudaMemset(idx, 0, n * sizeof(int));
  cudaMemset(a, 0, 64 * sizeof(int));
  grow<<<2 * prop.multiProcessorCount, 32>>>(idx, a, n);
  return cudaDeviceSynchronize();
}
