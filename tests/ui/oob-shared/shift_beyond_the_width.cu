// A block has as many threads as a shift gives, up to 512: the kernel for 256 has an array that is too small.
#include <algorithm>
#include <cstdlib>
template <unsigned N> __global__ void fill() {
  __shared__ float all[N];
  all[threadIdx.x] = threadIdx.x; //~ oob-shared proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int p = atoi(argv[1]);
  unsigned threads = std::max(std::min(1 << p, 512), 1);
  switch (threads) {
    case 256: fill<128><<<1, threads>>>(); break;
    default: fill<512><<<1, threads>>>();
  }
  return cudaDeviceSynchronize();
}
