//@ decided
// Threads that loops start: with memory of their own that they free, and with structures of an array, which they change and others use behind
// the last join.
#include <cstdlib>
#include <cuda_runtime.h>
#include <pthread.h>
#include <thread>
#include <vector>

__global__ void increment(int *data, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) data[i]++;
}

void on_its_own(int, int n) {
  int *d;
  cudaMalloc(&d, n * sizeof(int));
  increment<<<(n + 511) / 512, 512>>>(d, n);
  cudaFree(d);
}

struct Work {
  int id, n;
  int *d;
};

void *with_structure(void *p) {
  Work *w = (Work *)p;
  cudaMalloc(&w->d, w->n * sizeof(int));
  increment<<<(w->n + 511) / 512, 512>>>(w->d, w->n);
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), threads = atoi(argv[2]);
  if (n < 1 || n > 100000 || threads < 1 || threads > 64) return 1;
  std::vector<std::thread> all;
  for (int i = 0; i < threads; i++) all.emplace_back(on_its_own, i, n);
  for (auto &t : all) t.join();

  Work w[4];
  pthread_t handles[4];
  for (int i = 0; i < 4; i++) {
    w[i].id = i;
    w[i].n = n;
    pthread_create(&handles[i], nullptr, with_structure, &w[i]);
  }
  for (int i = 0; i < 4; i++) pthread_join(handles[i], nullptr);
  for (int i = 0; i < 4; i++) increment<<<(n + 511) / 512, 512>>>(w[i].d, n);

  Work *more = (Work *)malloc(threads * sizeof(Work));
  for (int i = 0; i < threads; i++) {
    more[i].n = n;
    pthread_t handle;
    pthread_create(&handle, nullptr, with_structure, &more[i]);
  }
  return cudaDeviceSynchronize();
}
