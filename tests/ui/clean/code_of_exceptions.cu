// Code of caught exceptions that changes only the exception itself: what stands in variables is still known after the handler.
#include <iostream>
#include <sstream>
#include <stdexcept>
#include <string>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

class bad_option : public std::exception {
 public:
  explicit bad_option(const std::string &name) : name_(name) {}
  ~bad_option() override { code_ = 0; }
  const char *what() const noexcept override {
    text_ = "bad option " + name_;
    return text_.c_str();
  }

 private:
  std::string name_;
  mutable std::string text_;
  int code_ = 2;
};

struct cuda_error : std::runtime_error {
  cuda_error(cudaError_t e, const char *file) : std::runtime_error(std::string(file) + cudaGetErrorString(e)), code(e) {}
  ~cuda_error() noexcept override = default;
  cudaError_t code;
};

int limit = 16;

int main(int argc, char **argv) {
  float *a;
  try {
    if (argc > 2) throw bad_option(argv[1]);
  } catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    limit = 8;
  }
  try {
    cudaError_t e = cudaGetLastError();
    if (e != cudaSuccess || limit > 16) throw cuda_error(e, __FILE__);
  } catch (const std::exception &e) {
    std::cerr << e.what() << '\n';
    limit = 4;
  }
  cudaMalloc(&a, 16 * sizeof(float));
  fill<<<1, 128>>>(a, limit);
  return cudaDeviceSynchronize();
}
