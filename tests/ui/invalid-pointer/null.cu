//@ snapshot
// A kernel and a copy are given a pointer that is null on some path, or always.
#include <cstdlib>

__global__ void fill(float *a, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = 0.0f; //~ invalid-pointer proved
}

struct Data { int n; float *values; };
__global__ void sum(Data d, float *out) {
  for (int i = 0; i < d.n; i++) *out += d.values[i]; //~ invalid-pointer proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1024) return 1;
  float *d = nullptr, *out;
  if (n > 100) cudaMalloc(&d, n * sizeof(float));
  fill<<<1, 1024>>>(d, n);
  cudaMalloc(&out, sizeof(float));
  Data data = {n, NULL};
  sum<<<1, 1>>>(data, out);
  cudaMemset(d, 0, n * sizeof(float)); //~ invalid-pointer proved
  return cudaDeviceSynchronize();
}
