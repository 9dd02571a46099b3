// Vectors of numbers from a file, which loops check in part or too late. In clean/vectors_checked.cu the checks suffice.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void zero(const int *len, const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[len[i] - 1]; //~ data-index proved
}
__global__ void half(const int *len, const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[len[i] - 1]; //~ data-index proved
}
__global__ void given_up(const int *len, const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[len[i] - 1]; //~ data-index proved
}
__global__ void changed(const int *len, const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[len[i] - 1]; //~ data-index proved
}
__global__ void another(const int *len, const float *in, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = in[len[i] - 1]; //~ data-index proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  FILE *f = fopen(argv[1], "r");
  int n, steps;
  if (!f || fscanf(f, "%d %d", &n, &steps) != 2 || n < 1 || n > 32 || steps < 1 || steps > 1000) return 1;
  float *in, *out;
  cudaMalloc(&in, 4 * steps);
  cudaMalloc(&out, 4 * n);
  int *d;
  cudaMalloc(&d, 4 * n);
  std::vector<int> len(n), other(n);
  for (int i = 0; i < n; i++)
    if (fscanf(f, "%d", &len[i]) != 1) return 1;
  for (int i = 0; i < n; i++)
    if (fscanf(f, "%d", &other[i]) != 1) return 1;
  auto copy = [&](const std::vector<int> &v) { cudaMemcpy(d, v.data(), 4 * n, cudaMemcpyHostToDevice); };

  for (int i = 0; i < n / 2; i++)
    if (len[i] < 1 || len[i] > steps) return 1;
  copy(len);
  half<<<1, 32>>>(d, in, out, n);
  for (int i = 0; i < n; i++)
    if (len[i] < 1) break;
  copy(len);
  given_up<<<1, 32>>>(d, in, out, n);
  for (int x : len)
    if (x < 0 || x > steps) return 1;
  copy(len);
  zero<<<1, 32>>>(d, in, out, n);
  for (int x : len)
    if (x < 1) return 1;
  copy(other);
  another<<<1, 32>>>(d, in, out, n);
  for (int i = 0; i < n; i++) len[i] -= i;
  copy(len);
  changed<<<1, 32>>>(d, in, out, n);
  cudaDeviceSynchronize();
}
