#include <stdexcept>

struct Big { long a[4]; Big(const Big &); };

__global__ void fill(int *p, int n) { p[threadIdx.x] = n; }

int limit(int);
Big make(int n);

static int twice(const int &n) { return n * 2; }

int launch(unsigned n, int mode) {
  int *d;
  cudaMalloc(&d, n * sizeof(int));
  int copies[3] = {1, 2, 3};
  switch (mode) {
    case -1: n = 1; break;
    case 7: n = twice(copies[1]); break;
  }
  try {
    limit(n);
  } catch (const std::runtime_error &) {
    return -1;
  }
  for (int i = 0; i < 3; ++i) {
    dim3 block(64, i + 1);
    fill<<<n / 64, block>>>(d, copies[i]);
  }
  Big b = make(mode);
  auto add = [&](int x) { return x + mode; };
  return cudaFree(d) == cudaSuccess ? add(3) : b.a[1];
}
