//@ decided
// An index is taken apart into digits of three radices, each kernel in its own way, and put together in another order.
#include <cstdlib>

__global__ void remainders(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int x = i % w, y = i / w % h, z = i / w / h;
  a[(x * h + y) * c + z] = 1;
}

__global__ void differences(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int x = i - i / w * w;
  int j = i / w;
  int y = j - j / h * h;
  int z = j / h;
  a[(y * c + z) * w + x] = 1;
}

__global__ void nested(float *a, int w, int h, int c) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h * c; i += gridDim.x * blockDim.x) {
    int z = i / (h * w), rest = i % (h * w);
    int y = rest / w, x = rest % w;
    a[z + x * c + y * (c * w)] = 1;
  }
}

__global__ void products(float *a, int w, int h, int c) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (unsigned)(w * h * c)) {
    unsigned x = i % w, y = i % (w * h) / w, z = i / (w * h) % c;
    a[(z * w + x) * h + y] = 1;
  }
}

__global__ void in_a_loop(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int radix[3] = {w, h, c}, digit[3];
  for (int k = 0; k < 3; k++) {
    digit[k] = i % radix[k];
    i /= radix[k];
  }
  a[(digit[2] * w + digit[0]) * h + digit[1]] = 1;
}

__global__ void clamped(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int right = min(i % w + 1, w - 1), below = min(i / w % h + 1, h - 1), z = i / (w * h);
  a[(z * h + below) * w + right] = 1;
}

__global__ void padded(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int x = i % w, y = i / w % h, z = i / (w * h);
  a[(z * h + y) * (w + 2) + x + 1] = 1;
}

struct Divider {
  int by;
  __device__ void operator()(int &quotient, int &remainder, int n) const {
    quotient = n / by;
    remainder = n - quotient * by;
  }
};

__global__ void by_dividers(float *a, Divider w, Divider h, int n, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  int x, y, z, rest;
  w(rest, x, i);
  h(z, y, rest);
  a[(y * w.by + x) * c + z] = 1;
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]), c = atoi(argv[3]);
  if (w < 1 || w > 500 || h < 1 || h > 500 || c < 1 || c > 500) return 1;
  int n = w * h * c;
  float *a, *b;
  cudaMalloc(&a, n * sizeof(float));
  cudaMalloc(&b, h * c * (w + 2) * sizeof(float));
  int blocks = (n + 127) / 128;
  remainders<<<blocks, 128>>>(a, w, h, c);
  differences<<<blocks, 128>>>(a, w, h, c);
  nested<<<64, 128>>>(a, w, h, c);
  products<<<blocks, 128>>>(a, w, h, c);
  in_a_loop<<<blocks, 128>>>(a, w, h, c);
  clamped<<<blocks, 128>>>(a, w, h, c);
  padded<<<blocks, 128>>>(b, w, h, c);
  by_dividers<<<blocks, 128>>>(a, Divider{w}, Divider{h}, n, c);
  return cudaDeviceSynchronize();
}
