// Methods called through pointers to them: plain and virtual ones, from a table, and by a thread.
//@ decided
#include <cstdlib>
#include <thread>
__global__ void fill(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}

struct Stage {
  float *p;
  int n;
  virtual ~Stage() = default;
  virtual void finish() { fill<<<(n + 63) / 64, 64>>>(p, n); }
  void begin() { fill<<<(n + 255) / 256, 256>>>(p, n); }
  void middle(int block) { fill<<<(n + block - 1) / block, block>>>(p, n); }
};

struct Last : Stage {
  void finish() override { fill<<<(n + 127) / 128, 128>>>(p, n); }
};

using Step = void (Stage::*)();

static void both(Stage &stage, const Step *steps) {
  (stage.*steps[0])();
  (stage.*steps[1])();
}

int main(int argc, char **argv) {
  Last last;
  last.n = argc > 1 ? atoi(argv[1]) : 1;
  if (last.n < 1 || last.n > 1 << 20) return 1;
  cudaMalloc(&last.p, last.n * sizeof(float));
  const Step steps[] = {&Stage::begin, &Stage::finish};
  both(last, steps);
  void (Stage::*middle)(int) = &Stage::middle;
  (last.*middle)(argc > 2 ? 32 : 96);
  std::thread thread(&Stage::begin, &last);
  thread.join();
  return cudaDeviceSynchronize();
}
