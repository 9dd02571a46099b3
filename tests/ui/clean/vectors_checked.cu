// Vectors of numbers from a file: loops reject numbers out of range before the vectors are copied to the device. In
// data-index/vectors_checked.cu the checks let one number too many pass, or not all numbers are checked.
//@ decided
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <vector>

__global__ void last_steps(const int *len, const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[len[i] - 1];
}

template <typename T> T *on_device(const std::vector<T> &host) {
  T *device;
  cudaMalloc(&device, sizeof(T) * host.size());
  cudaMemcpy(device, host.data(), sizeof(T) * host.size(), cudaMemcpyHostToDevice);
  return device;
}

void from_stream(const char *name) {
  std::ifstream f(name);
  int n, steps;
  if (!(f >> n >> steps) || n < 1 || n > 32 || steps < 1 || steps > 1000) exit(1);
  std::vector<int> len(n);
  for (int &x : len)
    if (!(f >> x)) exit(1);
  for (int x : len)
    if (x < 1 || x > steps) exit(1);
  float *in, *out;
  cudaMalloc(&in, 4 * steps);
  cudaMalloc(&out, 4 * n);
  last_steps<<<1, 32>>>(on_device(len), in, out, n);
}

int from_file(const char *name) {
  FILE *f = fopen(name, "r");
  int n, steps;
  if (!f || fscanf(f, "%d %d", &n, &steps) != 2 || n < 1 || n > 32 || steps < 1 || steps > 1000) return 1;
  std::vector<int> len(n);
  for (int i = 0; i < n; i++)
    if (fscanf(f, "%d", &len[i]) != 1) return 1;
  for (int i = 0; i < n; i++)
    if (len[i] < 1 || len[i] > steps) return 1;
  int *d;
  float *in, *out;
  cudaMalloc(&d, 4 * n);
  cudaMalloc(&in, 4 * steps);
  cudaMalloc(&out, 4 * n);
  cudaMemcpy(d, len.data(), 4 * n, cudaMemcpyHostToDevice);
  last_steps<<<1, 32>>>(d, in, out, n);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  from_stream(argv[1]);
  if (from_file(argv[2])) return 1;
  cudaDeviceSynchronize();
}
