// An index array of unwritten memory that nested loops of the host fill but for one column: what is there is any number.
//@ undecided: 1
#include <cstdlib>
__global__ void mark(const int *at, float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[at[i]] = 1;
}

int main(int argc, char **argv) {
  if (argc != 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 1 || n > 1000 || m < 1 || m > 1000) return 1;
  int *host = (int *)malloc(n * m * sizeof(int)), *at;
  float *out;
  cudaMalloc(&at, n * m * sizeof(int));
  cudaMalloc(&out, n * m * sizeof(float));
  for (int i = 0; i < n; i++)
    for (int j = 1; j < m; j++) host[i * m + j] = j;
  cudaMemcpy(at, host, n * m * sizeof(int), cudaMemcpyHostToDevice);
  mark<<<(n * m + 255) / 256, 256>>>(at, out, n * m);
  return 0;
}
