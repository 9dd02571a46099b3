// What a thread stores before it takes its last lock, or waits for a thread of its own, is there behind its end.
#include <cstdlib>
#include <cuda_runtime.h>
#include <mutex>
#include <pthread.h>
#include <thread>

__global__ void k1(float *s, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n) s[x] = 1; //~ oob-global proved
}

__global__ void k2(float *s, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n) s[x] = 2; //~ oob-global proved
}

__global__ void k3(float *s, int n) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < n) s[x] = 3; //~ oob-global proved
}

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static std::mutex other;

struct Job {
  float *a;
  int n, count;
};

static void *work(void *p) {
  Job *job = (Job *)p;
  k1<<<(job->n + 63) / 64, 64>>>(job->a, job->n);
  pthread_mutex_lock(&mutex);
  job->count = 2 * job->n;
  pthread_mutex_unlock(&mutex);
  pthread_mutex_lock(&mutex);
  pthread_mutex_unlock(&mutex);
  return nullptr;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 4096) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  Job job{a, n, n};
  pthread_t first;
  pthread_create(&first, nullptr, work, &job);
  pthread_join(first, nullptr);
  int count = job.count;
  k1<<<(count + 63) / 64, 64>>>(a, count);

  count = n;
  std::thread second([&] {
    k2<<<(n + 63) / 64, 64>>>(a, n);
    count = 2 * n;
    std::lock_guard<std::mutex> guard(other);
  });
  second.join();
  k2<<<(count + 63) / 64, 64>>>(a, count);

  count = n;
  std::thread third([&] {
    k3<<<(n + 63) / 64, 64>>>(a, n);
    count = 2 * n;
    std::thread inner([&] { k3<<<1, 1>>>(a, 1); });
    inner.join();
  });
  third.join();
  k3<<<(count + 63) / 64, 64>>>(a, count);
  return cudaDeviceSynchronize();
}
