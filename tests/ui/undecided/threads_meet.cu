// Threads of the host that wait for each other, at atomic and volatile variables and at conditions: what another may have written is not
// known behind that.
//@ undecided: 3
#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

__global__ void by_atomic(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void by_volatile(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void by_condition(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void meet_at_atomic(int *a) {
  int n = 8;
  std::atomic<bool> go(false), done(false);
  std::thread other([&] { while (!go) {} n = 64; done = true; });
  n = 8;
  go = true;
  while (!done) {}
  int seen = n;
  by_atomic<<<1, 64>>>(a, seen);
  other.join();
}

static void meet_at_volatile(int *a) {
  int n = 8;
  volatile bool go = false, done = false;
  std::thread other([&] { while (!go) {} n = 64; done = true; });
  n = 8;
  go = true;
  while (!done) {}
  int seen = n;
  by_volatile<<<1, 64>>>(a, seen);
  other.join();
}

static void meet_at_condition(int *a) {
  int n = 8;
  bool go = false, done = false;
  std::mutex mutex;
  std::condition_variable condition;
  std::thread other([&] {
    std::unique_lock<std::mutex> lock(mutex);
    condition.wait(lock, [&] { return go; });
    n = 64;
    done = true;
    condition.notify_all();
  });
  std::unique_lock<std::mutex> lock(mutex);
  n = 8;
  go = true;
  condition.notify_all();
  condition.wait(lock, [&] { return done; });
  int seen = n;
  by_condition<<<1, 64>>>(a, seen);
  lock.unlock();
  other.join();
}

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  meet_at_atomic(a);
  meet_at_volatile(a);
  meet_at_condition(a);
  return cudaDeviceSynchronize();
}
