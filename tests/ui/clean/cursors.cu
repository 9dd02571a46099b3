//@ decided
// Cursors that start at 0, and to which all threads only add: they are never negative, nor larger than the number of additions. A queue whose loop ends at its
// last element is passed by each thread once.
#include <cstdlib>
__global__ void queue(const int *q, int *out, int *cursor, int n) {
  while (true) {
    int t = atomicAdd(cursor, 1);
    if (t >= n) return;
    out[t] = q[t];
  }
}
__global__ void once(const int *in, int *out, int *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && in[i] > 0) { int t = atomicAdd(count, 1); out[t] = i; }
}
__global__ void strided(const int *in, int *out, unsigned *count, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    if (in[i] > 0) { unsigned t = atomicAdd(count, 1u); out[t] = i; }
}
__global__ void capped(const int *in, int *out, int *count, int n, int cap) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x)
    if (in[i] > 0) { int t = atomicAdd(count, 1); if (t < cap) out[t] = i; }
}
__global__ void leader(int *out, int *count, int n) {
  __shared__ int base;
  if (threadIdx.x == 0) base = atomicAdd(count, 128);
  __syncthreads();
  int i = base + threadIdx.x;
  if (i < n) out[i] = 1;
}
__global__ void quads(const int *in, int *out, unsigned long long *count, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || in[i] < 0) return;
  unsigned long long t = atomicAdd(count, 4ull);
  for (int j = 0; j < 4; j++) out[t + j] = i;
}
__global__ void rows(int *out, int *count, int n) {
  if (threadIdx.x < n) out[atomicAdd(count, 1)] = 1;
}
__global__ void restarted(int *out, int *cursor, int n) {
  int t = atomicAdd(cursor, 1);
  if (t < n) out[t] = 1;
  if (t == n - 1) atomicExch(cursor, 0);
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000000) return 1;
  int *q, *out, *cursor;
  int *quad, *row;
  cudaMalloc(&q, 4 * n);
  cudaMalloc(&out, 4 * n);
  cudaMalloc(&quad, 16 * n);
  cudaMalloc(&row, 64 * 4 * n);
  cudaMalloc(&cursor, 8);
  cudaMemset(q, 0, 4 * n);
  cudaMemset(cursor, 0, 8);
  queue<<<64, 128>>>(q, out, cursor, n);
  cudaMemset(cursor, 0, 8);
  once<<<(n + 127) / 128, 128>>>(q, out, cursor, n);
  cudaMemset(cursor, 0, 8);
  strided<<<64, 128>>>(q, out, (unsigned*)cursor, n);
  cudaMemset(cursor, 0, 8);
  capped<<<64, 128>>>(q, out, cursor, n, n / 2);
  cudaMemset(cursor, 0, 8);
  leader<<<(n + 127) / 128, 128>>>(out, cursor, n);
  cudaMemset(cursor, 0, 8);
  quads<<<(n + 127) / 128, 128>>>(q, quad, (unsigned long long *)cursor, n);
  cudaMemset(cursor, 0, 8);
  rows<<<64, 128>>>(row, cursor, n);
  cudaMemset(cursor, 0, 8);
  restarted<<<(n + 127) / 128, 128>>>(out, cursor, n);
  return cudaDeviceSynchronize();
}
