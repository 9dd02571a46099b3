// Cursors that become negative, or larger than what they count: something else writes them, they start elsewhere, or two are added for each.
#include <cstdlib>
__global__ void subtracted(int *out, int *cursor, int n) {
  int t = atomicAdd(cursor, 1);
  if (t < n) out[t] = 1; //~ oob-global proved
  atomicSub(cursor, 2);
}
__global__ void exchanged(int *out, int *cursor, int n, int v) {
  int t = atomicAdd(cursor, 1);
  if (t < n) out[t] = 1; //~ oob-global proved
  if (t == n) atomicExch(cursor, v);
}
__global__ void stored(int *out, int *cursor, int n) {
  int t = atomicAdd(cursor, 1);
  if (t < n) out[t] = 1; //~ oob-global proved
  if (t == n) *cursor = -n;
}
__global__ void swapped(int *out, int *cursor, int n, int v) {
  int t = atomicAdd(cursor, 1);
  if (t < n) out[t] = 1; //~ oob-global proved
  atomicCAS(cursor, n, v);
}
__global__ void nested(int *out, int *cursor, int n, int rounds) {
  for (int r = 0; r < rounds; r++)
    while (true) {
      int t = atomicAdd(cursor, 1 << 20);
      if (t >= n) break;
      out[t] = 1; //~ oob-global proved
    }
}
__global__ void twice(int *out, int *cursor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) { out[atomicAdd(cursor, 1)] = i; out[atomicAdd(cursor, 1)] = i; } //~ oob-global proved //~ oob-global proved
}
__global__ void as_one(int *out, int *cursor, int n) {
  int t = atomicAdd(cursor, 1);
  if (t < n) out[t] = 1; //~ oob-global proved
  atomicAdd((unsigned long long *)cursor, 1ull << 31);
}
__global__ void once(int *out, int *cursor, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[atomicAdd(cursor, 1)] = i; //~ oob-global proved
}
__global__ void started(int *out, int *cursor, int n) {
  int t = atomicAdd(cursor, 1);
  if (t < n) out[t] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int n = atoi(argv[1]), v = atoi(argv[2]), rounds = atoi(argv[3]);
  if (n < 1 || n > 1000000) return 1;
  int *out, *cursor, blocks = (n + 127) / 128;
  cudaMalloc(&out, 4 * n);
  cudaMalloc(&cursor, 8);
#define SET cudaMemset(cursor, 0, 8)
  SET; subtracted<<<blocks, 128>>>(out, cursor, n);
  SET; exchanged<<<blocks, 128>>>(out, cursor, n, v);
  SET; stored<<<blocks, 128>>>(out, cursor, n);
  SET; swapped<<<blocks, 128>>>(out, cursor, n, v);
  SET; nested<<<64, 128>>>(out, cursor, n, rounds);
  SET; twice<<<blocks, 128>>>(out, cursor, n);
  SET; as_one<<<blocks, 128>>>(out, cursor, n);
  SET; once<<<blocks, 128>>>(out, cursor, n);
  once<<<blocks, 128>>>(out, cursor, n);
  cudaMemset(cursor, 0xff, 8); started<<<blocks, 128>>>(out, cursor, n);
  return cudaDeviceSynchronize();
}
