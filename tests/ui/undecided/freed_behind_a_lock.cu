// A thread that frees memory behind a lock, which the first thread holds until the kernel has ended.
//@ undecided: 1
#include <cstdlib>
#include <mutex>
#include <thread>

__global__ void fill(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  std::mutex m;
  m.lock();
  std::thread t([&m, a] {
    std::lock_guard<std::mutex> held(m);
    cudaFree(a);
  });
  fill<<<n / 256 + 1, 256>>>(a, n);
  cudaDeviceSynchronize();
  m.unlock();
  t.join();
}
