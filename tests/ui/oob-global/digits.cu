// An index is taken apart into digits of three radices, and one of them is off by one: in each place and each way of writing.
#include <cstdlib>

__global__ void least_of_remainders(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int x = i % (w + 1), y = i / w % h, z = i / w / h;
  a[(x * h + y) * c + z] = 1; //~ oob-global proved
}

__global__ void middle_of_remainders(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int x = i % w, y = i / w % (h + 1), z = i / w / h;
  a[(y * w + x) * c + z] = 1; //~ oob-global proved
}

__global__ void greatest_of_remainders(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i > w * h * c) return;
  int x = i % w, y = i / w % h, z = i / w / h;
  a[(z * h + y) * w + x] = 1; //~ oob-global proved
}

__global__ void least_of_differences(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int x = i - i / w * w + 1;
  int j = i / w;
  int y = j - j / h * h;
  int z = j / h;
  a[(y * c + z) * w + x] = 1; //~ oob-global proved
}

__global__ void middle_of_differences(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int x = i - i / w * w;
  int j = i / w;
  int y = j - j / h * (h - 1);
  int z = j / h;
  a[(y * c + z) * w + x] = 1; //~ oob-global proved
}

__global__ void nested(float *a, int w, int h, int c) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < w * h * c; i += gridDim.x * blockDim.x) {
    int z = i / (h * w), rest = i % (h * w);
    int y = rest / w, x = rest % w;
    a[z + x * c + (y + 1) * (c * w)] = 1; //~ oob-global proved
  }
}

__global__ void greatest_nested(float *a, int w, int h, int c) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < (w + 1) * h * c; i += gridDim.x * blockDim.x) {
    int z = i / (h * w), rest = i % (h * w);
    int y = rest / w, x = rest % w;
    a[z + x * c + y * (c * w)] = 1; //~ oob-global proved
  }
}

__global__ void products(float *a, int w, int h, int c) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < (unsigned)(w * h * c)) {
    unsigned x = i % w, y = i % (w * h + 1) / w, z = i / (w * h) % c;
    a[(y * c + z) * w + x] = 1; //~ oob-global proved
  }
}

__global__ void in_a_loop(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int radix[3] = {w, h + 1, c}, digit[3];
  for (int k = 0; k < 3; k++) {
    digit[k] = i % radix[k];
    i /= radix[k];
  }
  a[(digit[1] * c + digit[2]) * w + digit[0]] = 1; //~ oob-global proved
}

__global__ void clamped(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int right = min(i % w + 1, w), below = min(i / w % h + 1, h - 1), z = i / (w * h);
  a[(z * h + below) * w + right] = 1; //~ oob-global proved
}

__global__ void padded(float *a, int w, int h, int c) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= w * h * c) return;
  int x = i % w, y = i / w % h, z = i / (w * h);
  a[(z * h + y) * (w + 2) + x + 3] = 1; //~ oob-global proved
}

__global__ void no_guard(float *a, int w, int h) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  a[i / w * w + i % w] = 1; //~ oob-global proved
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
  a[(y * (w.by + 1) + x) * c + z] = 1; //~ oob-global proved
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
  least_of_remainders<<<blocks, 128>>>(a, w, h, c);
  middle_of_remainders<<<blocks, 128>>>(a, w, h, c);
  greatest_of_remainders<<<n / 128 + 1, 128>>>(a, w, h, c);
  least_of_differences<<<blocks, 128>>>(a, w, h, c);
  middle_of_differences<<<blocks, 128>>>(a, w, h, c);
  nested<<<64, 128>>>(a, w, h, c);
  greatest_nested<<<64, 128>>>(a, w, h, c);
  products<<<blocks, 128>>>(a, w, h, c);
  in_a_loop<<<blocks, 128>>>(a, w, h, c);
  clamped<<<blocks, 128>>>(a, w, h, c);
  padded<<<blocks, 128>>>(b, w, h, c);
  no_guard<<<blocks, 128>>>(a, w, h);
  by_dividers<<<blocks, 128>>>(a, Divider{w}, Divider{h}, n, c);
  return cudaDeviceSynchronize();
}
