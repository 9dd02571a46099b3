//@ decided
// Classes that hold streams, events, times and strings beside sizes and pointers: what sets one member leaves the others.
#include <mutex>
#include <pthread.h>
#include <string>
#include <sys/time.h>
#include <vector>

// As cuBLAS declares them.
extern "C" int cublasCreate_v2(struct cublasContext **handle);
extern "C" int cublasSaxpy_v2(struct cublasContext *handle, int n, const float *alpha, const float *x, int incx, float *y, int incy);

__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

class Simulation {
public:
  explicit Simulation(const char *title) : n_(32), name_(title), host_(32) {
    name_ += "!";
    cudaMalloc(&a_, n_ * sizeof(int));
    cudaStreamCreate(&stream_);
    cudaEventCreate(&start_);
    cudaEventCreateWithFlags(&stop_, cudaEventDisableTiming);
    cudaGetDevice(&device_);
    cublasCreate_v2(&blas_);
    cudaMalloc(&x_, n_ * sizeof(float));
    cudaMalloc(&y_, n_ * sizeof(float));
    pthread_mutex_init(&mutex_, nullptr);
  }
  void rename(const std::string &name) { name_ = name + "-" + name_; }
  void run() {
    std::lock_guard<std::mutex> lock(guard_);
    pthread_mutex_lock(&mutex_);
    gettimeofday(&time_, nullptr);
    cublasSaxpy_v2(blas_, n_, &alpha_, x_, 1, y_, 1);
    cudaEventRecord(start_, stream_);
    k<<<1, 64, 0, stream_>>>(a_, n_);
    cudaEventRecord(stop_, stream_);
    cudaEventSynchronize(stop_);
    cudaEventElapsedTime(&milliseconds_, start_, stop_);
    cudaMemcpyAsync(host_.data(), a_, n_ * sizeof(int), cudaMemcpyDeviceToHost, stream_);
    cudaStreamSynchronize(stream_);
    pthread_mutex_unlock(&mutex_);
  }

private:
  int n_;
  int *a_;
  std::string name_;
  std::vector<int> host_;
  cudaStream_t stream_;
  cudaEvent_t start_, stop_;
  float milliseconds_;
  int device_;
  timeval time_;
  std::mutex guard_;
  pthread_mutex_t mutex_;
  cublasContext *blas_;
  float alpha_ = 2, *x_, *y_;
};

int main(int, char **argv) {
  Simulation here(argv[0]);
  here.run();
  here.rename("again");
  here.run();
  auto *there = new Simulation(argv[0]);
  there->run();
  there->run();
  delete there;
  return 0;
}
