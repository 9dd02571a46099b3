// Code of caught exceptions that changes variables: destructors at the end of a handler, virtual methods. With an argument all sizes are wrong.
//@ undecided: 4
#include <exception>
#include <stdexcept>
#include <string>

__global__ void by_destructor(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}
__global__ void by_method(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}
__global__ void by_skipped_method(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}
__global__ void by_last_owner(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

float *array(int n) {
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  return a;
}

int limit = 16;
struct Restores {
  ~Restores() { limit = 64; }
};

int asked = 16;
struct Counts : std::runtime_error {
  using std::runtime_error::runtime_error;
  const char *what() const noexcept override {
    asked = 64;
    return "counted";
  }
};

int looped = 16;
struct Loops : std::exception {
  const char *what() const noexcept override {
    looped += 16;
    return "";
  }
};

int owned = 16;
struct Owned {
  ~Owned() { owned = 64; }
};

int main(int argc, char **argv) {
  try {
    if (argc > 1) throw Restores();
  } catch (Restores &) {
    limit = 16;
  }
  by_destructor<<<1, 128>>>(array(16), limit);

  try {
    if (argc > 1) throw Counts("few");
  } catch (std::exception &e) {
    if (e.what()[0] == 'x') return 1;
  }
  by_method<<<1, 128>>>(array(16), asked);

  // The whole loop is skipped.
  for (int k = 1; k < argc; k = k * 3 / 2 + 1) {
    try {
      throw Loops();
    } catch (std::exception &e) {
      if (e.what()[0] == 'x') return 1;
    }
  }
  by_skipped_method<<<1, 128>>>(array(16), looped);

  {
    std::exception_ptr kept;
    try {
      if (argc > 1) throw Owned();
    } catch (...) {
      kept = std::current_exception();
    }
    owned = 16;
  }
  by_last_owner<<<1, 128>>>(array(16), owned);
  return cudaDeviceSynchronize();
}
