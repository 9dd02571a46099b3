// A structure within one that a device function returns holds what its members were given, whatever their sizes are.
#include <cuda_runtime.h>

struct Key {
  char a, b, c, d;
  int row, column;
};
struct Found {
  Key key;
};

__device__ Found find(int row) {
  Found f;
  f.key.a = 1;
  f.key.b = 2;
  f.key.c = 3;
  f.key.d = 0;
  f.key.row = row;
  f.key.column = 64;
  return f;
}

__global__ void put(float *x) {
  Found f = find(64);
  x[f.key.row] = 1; //~ oob-global proved
  x[f.key.column - 1] = 1;
  x[f.key.c + 61] = 1; //~ oob-global proved
}

int main() {
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  put<<<1, 1>>>(x);
  return cudaDeviceSynchronize();
}
