// Prefix sums over a block whose threads do not all take part, whose numbers are not bounded, or whose storage is used again without a barrier: nothing is known
// of them.
//@ undecided: 6
#include <cstdlib>
#include <cub/block/block_scan.cuh>
using Scan = cub::BlockScan<int, 256>;
__global__ void some_left(int *places, int n) {
  __shared__ typename Scan::TempStorage storage;
  int i = blockIdx.x * 256 + threadIdx.x, at;
  if (i >= n) return;
  Scan(storage).ExclusiveSum(1, at);
  places[at] = i;
}

__global__ void smaller_block(int *places) {
  __shared__ typename Scan::TempStorage storage;
  int at;
  Scan(storage).ExclusiveSum(1, at);
  places[at] = 1;
}

__global__ void any_number(int *places, int by) {
  __shared__ typename Scan::TempStorage storage;
  int at;
  Scan(storage).ExclusiveSum(threadIdx.x == 0 ? by : 1, at);
  places[at & 0x7fffffff] = 1;
}

__global__ void reused(int *places) {
  __shared__ typename Scan::TempStorage storage;
  int at, again;
  Scan(storage).ExclusiveSum(1, at);
  Scan(storage).ExclusiveSum(1, again);
  places[at] = 1;
  places[again] = 1;
}

__global__ void in_rounds(int *places, int rounds) {
  __shared__ typename Scan::TempStorage storage;
  for (int r = 0; r < rounds; r++) {
    int at;
    Scan(storage).ExclusiveSum(1, at);
    places[at] = r;
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), by = atoi(argv[2]), *places;
  if (n < 1 || n > 1000000) return 1;
  cudaMalloc(&places, 256 * sizeof(int));
  some_left<<<(n + 255) / 256, 256>>>(places, n);
  smaller_block<<<1, 128>>>(places);
  any_number<<<1, 256>>>(places, by);
  reused<<<1, 256>>>(places);
  in_rounds<<<1, 256>>>(places, n);
  return cudaDeviceSynchronize();
}
