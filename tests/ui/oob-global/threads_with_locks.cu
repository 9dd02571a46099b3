// Threads that take locks, of which the second launches for more than its memory has.
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>
#include <mutex>
#include <thread>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;  //~ oob-global proved
}

std::mutex guard;
std::condition_variable changed;
bool ready;
int launched;

void work(float *p, int n) {
  {
    std::lock_guard<std::mutex> lock(guard);
    ++launched;
  }
  scale<<<(n + 255) / 256, 256>>>(p, n);
  std::unique_lock<std::mutex> lock(guard);
  printf("%d\n", launched);
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 20) return 1;
  float *p, *q, *r;
  cudaMalloc(&p, n * sizeof(float));
  cudaMalloc(&q, n * sizeof(float));
  cudaMalloc(&r, n * sizeof(float));
  std::thread first(work, p, n), second(work, q, n + 1);
  std::thread third([=] {
    std::unique_lock<std::mutex> lock(guard);
    changed.wait(lock, [] { return ready; });
    scale<<<(n + 255) / 256, 256>>>(r, n);
  });
  {
    std::scoped_lock lock(guard);
    ready = true;
  }
  changed.notify_one();
  first.join();
  second.join();
  third.join();
}
