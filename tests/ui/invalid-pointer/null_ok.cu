//@ decided
// Null that nobody uses: an optional argument that the kernel tests, a copy of no bytes, a loop that does not run.
#include <cstdlib>

__global__ void fill(float *a, const float *mask, int n) {
  if (threadIdx.x < n) a[threadIdx.x] = mask ? mask[threadIdx.x] : 0.0f;
}

struct Data { int n; float *values; };
__global__ void sum(Data d, float *out) {
  for (int i = 0; i < d.n; i++) *out += d.values[i];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1024) return 1;
  float *d = nullptr, *out, *mask = nullptr;
  cudaMalloc(&d, n * sizeof(float));
  if (n > 7) cudaMalloc(&mask, n * sizeof(float));
  fill<<<1, 1024>>>(d, nullptr, n);
  fill<<<1, 1024>>>(d, mask, n);
  cudaMalloc(&out, sizeof(float));
  Data data = {0, NULL};
  sum<<<1, 1>>>(data, out);
  float *none = nullptr;
  cudaMemcpy(none, d, 0, cudaMemcpyDeviceToHost);
  return cudaDeviceSynchronize();
}
