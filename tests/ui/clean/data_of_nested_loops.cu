// Index arrays that start as zeros and that nested loops of the host fill: by rows, by a counter, at random, on some paths only.
//@ decided
#include <cstdlib>
#include <vector>
__global__ void mark(const int *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[at[i]] = 1;
}

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 1 || n > 1000 || m < 1 || m > 1000) return 1;
  std::vector<int> rows(n * m);
  int *counted = (int *)calloc(n * m, sizeof(int)), *at;
  float *few, *out;
  cudaMalloc(&at, n * m * sizeof(int));
  cudaMalloc(&few, m * sizeof(float));
  cudaMalloc(&out, n * m * sizeof(float));

  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++) rows[i * m + j] = rand() % 2 ? j : rand() % m;
  cudaMemcpy(at, rows.data(), n * m * sizeof(int), cudaMemcpyHostToDevice);
  mark<<<(n * m + 255) / 256, 256>>>(at, few, n * m);

  int count = 0;
  for (int i = 0; i < n; i++)
    for (int j = 0; j < m; j++)
      if (rand() % 3 == 0) counted[count++] = i * m + j;
  cudaMemcpy(at, counted, n * m * sizeof(int), cudaMemcpyHostToDevice);
  mark<<<(n * m + 255) / 256, 256>>>(at, out, n * m);
  return 0;
}
