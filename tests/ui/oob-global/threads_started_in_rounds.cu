// A thread without device work is started in each round; the launch beside it has a guard that is one too many.
#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <thread>
#include <vector>
__global__ void fill(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) out[i] = 1; //~ oob-global proved
}

void work(float *out, std::atomic_int *turns, int n, int threads) {
  std::vector<std::thread> all;
  for (int t = 0; t < threads; t++)
    all.push_back(std::thread([=]() {
      for (int i = t; i < n; i += threads) {
        while (turns[i].load() == 0) {
        }
        out[i] = i;
        turns[i + 1].fetch_add(1);
      }
    }));
  std::for_each(all.begin(), all.end(), [](std::thread &t) { t.join(); });
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  if (n < 1 || n > 1 << 20) return 1;
  float *device, *host = (float *)malloc(n * sizeof(float));
  std::atomic_int *turns = (std::atomic_int *)calloc(n + 1, sizeof(std::atomic_int));
  cudaMalloc(&device, n * sizeof(float));
  for (int r = 0; r < rounds; r++) {
    fill<<<(n + 255) / 256, 256>>>(device, n);
    turns[0] = 1;
    std::thread helper(work, host, turns, n, 4);
    cudaDeviceSynchronize();
    helper.join();
  }
  return 0;
}
