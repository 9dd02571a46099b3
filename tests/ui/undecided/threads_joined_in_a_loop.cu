// Of the threads that one loop starts, another one joins all but the last before their memory is freed.
#include <cstdlib>
#include <thread>
#include <vector>
__global__ void fill(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  float *all;
  cudaMalloc(&all, 4 * n * sizeof(float));
  std::thread threads[4];
  for (int i = 0; i < 4; i++) threads[i] = std::thread([=] { fill<<<(n + 255) / 256, 256>>>(all + i * n, n); });
  for (std::thread &t : threads) t.join();
  cudaFree(all);
  float *more;
  cudaMalloc(&more, 3 * n * sizeof(float));
  std::vector<std::thread> others;
  others.reserve(3);
  for (int i = 0; i < 3; i++) others.emplace_back([=] { fill<<<(n + 63) / 64, 64>>>(more + i * n, n); });
  for (int i = 0; i < 2; i++) others[i].join();
  cudaFree(more);
  others[2].join();
  return 0;
}
