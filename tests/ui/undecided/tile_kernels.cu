// Tile kernels (nvcc 13.3, -enable-tile) have no threads: each access of theirs is undecided, and what they write is not known. Kernels of
// threads beside them are judged as ever; what a tile kernel was not given keeps what it holds.
//@ flags: -std=c++20 -enable-tile
//@ undecided: 8
#include "tiles.h"
#include <cstdlib>

namespace ct = cuda::tiles;

__device__ int place = 0;

__tile__ void put(int *to, int n) {
  auto at = ct::iota<ct::tile<int, 16>>();
  ct::store_masked(to + at, ct::ones<ct::tile<int, 16>>(), at < n);
}

__tile_global__ void add(const int *a, int *to, int n) {
  auto at = ct::iota<ct::tile<int, 16>>();
  auto x = ct::load(a + at);
  ct::partition_view<const int, 16> view{a};
  auto y = view.load(1);
  put(to, n);
  ct::store(const_cast<int *>(a) + at, at);
}

template <class T>
__tile_global__ void count(T *to) {
  auto at = ct::iota<ct::tile<int, 16>>();
  ct::atomic_add<ct::memory_order::relaxed>(to + at, ct::ones<ct::tile<T, 16>>());
  *to = T(1);
}

__global__ void past(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    a[i] = 1; //~ oob-global proved
}

__global__ void past_later(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    a[i] = 1; //~ oob-global proved
}

__global__ void known(int *a, const int *index) {
  a[index[0]] = 1;
}

__global__ void perhaps_changed(int *a, const int *index) {
  a[index[0]] = 1;
}

__global__ void perhaps_another_place(int *a) {
  a[place] = 1;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000)
    return 1;
  int *a, *given, *kept, zero = 0;
  cudaMalloc(&a, n * sizeof(int));
  cudaMalloc(&given, sizeof(int));
  cudaMalloc(&kept, sizeof(int));
  cudaMemcpy(given, &zero, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(kept, &zero, sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(place, &zero, sizeof(int));
  past<<<(n + 255) / 256, 256>>>(a, n);
  add<<<4, 1>>>(given, a, n);
  count<<<1, 1>>>(a);
  known<<<1, 1>>>(a, kept);
  perhaps_changed<<<1, 1>>>(a, given);
  perhaps_another_place<<<1, 1>>>(a);
  past_later<<<(n + 255) / 256, 256>>>(a, n);
  cudaDeviceSynchronize();
}
