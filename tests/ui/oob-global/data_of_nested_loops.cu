// Index arrays that nested loops of the host fill, with one number too large, and with numbers that later code changes.
#include <cstdlib>
#include <vector>
__global__ void mark(const int *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[at[i]] = 1; //~ oob-global proved
}

__global__ void mark_changed(const int *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[at[i]] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 1 || n > 1000 || m < 1 || m > 1000) return 1;
  std::vector<int> rows(n * m);
  int *at;
  float *few;
  cudaMalloc(&at, n * m * sizeof(int));
  cudaMalloc(&few, m * sizeof(float));
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) rows[i * m + j] = j;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j += 2) rows[i * m + j] += n;
  cudaMemcpy(at, rows.data(), n * m * sizeof(int), cudaMemcpyHostToDevice);
  mark_changed<<<(n * m + 255) / 256, 256>>>(at, few, n * m);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) rows[i * m + j] = i == n / 2 ? j + 1 : j;
  cudaMemcpy(at, rows.data(), n * m * sizeof(int), cudaMemcpyHostToDevice);
  mark<<<(n * m + 255) / 256, 256>>>(at, few, n * m);
  return 0;
}
