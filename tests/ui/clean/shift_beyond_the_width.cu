//@ decided
// The result of a shift that may go beyond the width is one number, whatever it is: a kernel is chosen by it, and a block has that many threads. A shift to the
// right leaves no more than there was.
#include <algorithm>
#include <cstdlib>
template <unsigned N> __global__ void fill() {
  __shared__ float all[N];
  all[threadIdx.x] = threadIdx.x;
}

__global__ void halves(int *out, const int *in, int n, int by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  out[(unsigned)i >> by] = 1;
  int way = in[i];
  int less = (i - n) >> by;  // negative: -n to -1
  out[less + n] = way >> by;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int n = atoi(argv[1]), p = atoi(argv[2]), by = atoi(argv[3]);
  if (n < 1 || n > 1000000) return 1;
  unsigned threads = std::max(std::min(1 << p, 512), 1);
  switch (threads) {
    case 256: fill<256><<<1, threads>>>(); break;
    default: fill<512><<<1, threads>>>();
  }
  int *out, *in;
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&in, n * sizeof(int));
  cudaMemset(in, 0, n * sizeof(int));
  halves<<<(n + 255) / 256, 256>>>(out, in, n, by);
  return cudaDeviceSynchronize();
}
