// Cursors of which nothing is known, since the sum of what is added may leave the width, more is added than is counted, or the host may write beside the kernel.
//@ undecided: 7
#include <cstdlib>
__global__ void added_negative(int *out, int *cursor, int n, int by) {
  int t = atomicAdd(cursor, by);
  if (t < n) out[t] = 1;
}
__global__ void large(int *out, int *cursor, int n) {
  int t = atomicAdd(cursor, 1 << 24);  // 256 threads and more: beyond the width
  if (t < n) out[t] = 1;
}
__global__ void goes_on(int *out, int *cursor, int n, int rounds) {
  for (int r = 0; r < rounds; r++) {
    int t = atomicAdd(cursor, 1 << 16);
    if (t >= n) continue;
    out[t] = 1;
  }
}
__global__ void short_stride(int *out, int *cursor, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x) out[atomicAdd(cursor, 1)] = i;
}
__global__ void every_block(int *out, int *cursor, int n) {
  if (threadIdx.x < n) out[atomicAdd(cursor, 1)] = 1;
}
__global__ void in_one(int *all, int n) {
  int t = atomicAdd(all + n, 1);
  if (t < n) all[t] = 1;
  all[threadIdx.x] = -5;
}
__global__ void in_managed(int *out, int *cursor, int n) {
  int t = atomicAdd(cursor, 1);
  if (t < n) out[t] = 1;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int n = atoi(argv[1]), v = atoi(argv[2]), rounds = atoi(argv[3]);
  if (n < 1 || n > 1000000) return 1;
  int *out, *cursor, *all, *managed, blocks = (n + 127) / 128;
  cudaMalloc(&out, 4 * n);
  cudaMalloc(&cursor, 8);
  cudaMalloc(&all, 4 * n + 8);
  cudaMallocManaged(&managed, 4);
#define SET cudaMemset(cursor, 0, 8)
  SET; added_negative<<<blocks, 128>>>(out, cursor, n, v);
  SET; large<<<blocks, 128>>>(out, cursor, n);
  SET; goes_on<<<64, 128>>>(out, cursor, n, rounds);
  SET; short_stride<<<64, 128>>>(out, cursor, n);
  SET; every_block<<<64, 128>>>(out, cursor, n);
  cudaMemset(all, 0, 4 * n + 8);
  in_one<<<1, n>>>(all, n);
  *managed = 0;
  in_managed<<<blocks, 128>>>(out, managed, n);
  *managed = v;
  return cudaDeviceSynchronize();
}
