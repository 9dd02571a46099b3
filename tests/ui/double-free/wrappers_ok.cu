//@ decided
// The same with each allocation freed once: a test for aliases, a class that can only be moved, a pointer that is reset.
#include <memory>
#include <utility>

struct Buffers { float *in, *out; };

static void release(Buffers &b) {
  cudaFree(b.in);
  if (b.out != b.in) cudaFree(b.out);
  b.in = b.out = nullptr;
}

struct Owner {
  float *data = nullptr;
  explicit Owner(int n) { cudaMalloc(&data, n * sizeof(float)); }
  Owner(const Owner &) = delete;
  Owner(Owner &&other) noexcept : data(std::exchange(other.data, nullptr)) {}
  ~Owner() { cudaFree(data); }
};

struct Deleter { void operator()(float *p) const { cudaFree(p); } };

static void give(float *&p) { cudaFree(p); p = nullptr; }

__global__ void scale(float *a, float by) { a[threadIdx.x] *= by; }

int main(int argc, char **) {
  Buffers b;
  cudaMalloc(&b.in, 32 * sizeof(float));
  b.out = b.in;
  if (argc > 1) cudaMalloc(&b.out, 32 * sizeof(float));
  scale<<<1, 32>>>(b.out, 2.0f);
  release(b);
  release(b);

  {
    Owner first(32);
    Owner second = std::move(first);
    scale<<<1, 32>>>(second.data, 2.0f);
  }
  {
    float *raw;
    cudaMalloc(&raw, 32 * sizeof(float));
    std::unique_ptr<float, Deleter> owned(raw);
    scale<<<1, 32>>>(owned.get(), 2.0f);
    std::unique_ptr<float, Deleter> taken = std::move(owned);
    scale<<<1, 32>>>(taken.get(), 2.0f);
  }

  float *c;
  cudaMalloc(&c, 32 * sizeof(float));
  give(c);
  give(c);
  return cudaDeviceSynchronize();
}
