// Collective operations of CUB in blocks with guards and arrays that are wrong by one.
#include <cstdlib>
#include <cub/block/block_load.cuh>
#include <cub/block/block_scan.cuh>
#include <cub/block/block_store.cuh>
__global__ void doubled(const float *in, float *out, int n) {
  using Load = cub::BlockLoad<float, 64, 4, cub::BLOCK_LOAD_WARP_TRANSPOSE>;
  using Store = cub::BlockStore<float, 64, 4, cub::BLOCK_STORE_WARP_TRANSPOSE>;
  __shared__ typename Load::TempStorage load;
  __shared__ typename Store::TempStorage store;
  float v[4];
  int base = blockIdx.x * 256, valid = min(256, n - base + 1);
  Load(load).Load(in + base, v, valid, 0.0f); //~ oob-global proved
  for (int i = 0; i < 4; i++) v[i] *= 2;
  Store(store).Store(out + base, v, valid); //~ oob-global proved
}

__global__ void packed(const float *in, int *places, int *totals, int n) {
  using Scan = cub::BlockScan<int, 256>;
  __shared__ typename Scan::TempStorage storage;
  int i = blockIdx.x * 256 + threadIdx.x, flag = i < n && in[i] > 0, at, all;
  Scan(storage).ExclusiveSum(flag, at, all);
  if (flag) places[blockIdx.x * 256 + at] = i;
  totals[all] = i;
  __syncthreads();
  int last;
  Scan(storage).InclusiveSum(flag, last);
  if (last > 0) places[blockIdx.x * 256 + last - 1] = i;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000000) return 1;
  int blocks = (n + 255) / 256, *places, *totals;
  float *in, *out;
  cudaMalloc(&in, n * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  cudaMalloc(&places, (blocks * 256 - 1) * sizeof(int));
  cudaMalloc(&totals, 257 * sizeof(int));
  doubled<<<blocks, 64>>>(in, out, n);
  packed<<<blocks, 256>>>(in, places, totals, n);
  return cudaDeviceSynchronize();
}
