// What other threads store before a thread takes a lock: sizes that it reads behind the lock, what the first thread reads before the other one goes
// on, what both store to, memory that was made later, and what CUDA was told.
#include <condition_variable>
#include <cstdlib>
#include <cuda_runtime.h>
#include <mutex>
#include <thread>

__global__ void behind_lock(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }
__global__ void before_signal(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }
__global__ void stored_twice(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }
__global__ void made_later(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] = 1; }

struct Job { int n; };

std::mutex guard;
std::condition_variable changed;
bool ready;
int size = 64, last = 64, first = 65;
Job *queue;

void work(float *p) {
  std::unique_lock<std::mutex> lock(guard);
  behind_lock<<<1, 128>>>(p, size);
  last = 65;
  if (queue) queue->n = 65;
  changed.wait(lock, [] { return ready; });
  first = 64;
}

int main() {
  float *p;
  cudaMalloc(&p, 64 * sizeof(float));
  std::thread other(work, p);
  int before = first;
  Job *job = new Job{64};
  {
    std::lock_guard<std::mutex> lock(guard);
    size = 65;
    last = 64;
    queue = job;
    ready = true;
  }
  changed.notify_one();
  before_signal<<<1, 128>>>(p, before);
  other.join();
  stored_twice<<<1, 128>>>(p, last);
  made_later<<<1, 128>>>(p, job->n);
}
