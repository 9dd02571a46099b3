// Without a policy a task may run where its result is asked for; what a `std::packaged_task` calls is not followed either.
#include <cstdlib>
#include <future>
__global__ void fill(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = 1;
}

static int part(float *p, int n) {
  fill<<<(n + 255) / 256, 256>>>(p, n);
  return n;
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  if (argc > 2) {
    std::packaged_task<int()> task([=] { return part(a, n); });
    task();
    return task.get_future().get() != n;
  }
  return std::async(part, a, n).get() != n;
}
