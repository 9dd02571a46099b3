// Where a program ends on every code but success, or gives it back, nothing is lost.
//@ decided
#include <cstdio>
#include <cstdlib>
#define CHECK(call) do { cudaError_t status = (call); if (status != cudaSuccess) { fprintf(stderr, "%s\n", cudaGetErrorString(status)); exit(1); } } while (0)

__global__ void k(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }

static void judge(cudaError_t status, bool end = true) { if (status != cudaSuccess) { fprintf(stderr, "no\n"); if (end) exit(1); } }

static int set_up(int **a, int n) {
  if (cudaMalloc(a, n * sizeof(int)) != cudaSuccess) return -1;
  cudaError_t status = cudaMemset(*a, 0, n * sizeof(int));
  if (status != cudaSuccess) return -1;
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]), *a, *b, *c;
  if (n < 1 || n > 100000) return 1;
  CHECK(cudaMalloc(&a, n * sizeof(int)));
  judge(cudaMalloc(&b, n * sizeof(int)));
  if (set_up(&c, n) < 0) return 1;
  for (int i = 0; i < n; i++) {
    k<<<(n + 127) / 128, 128>>>(a, n);
    CHECK(cudaGetLastError());
    k<<<(n + 127) / 128, 128>>>(b, n);
    judge(cudaGetLastError());
    k<<<(n + 127) / 128, 128>>>(c, n);
    if (cudaPeekAtLastError() != cudaSuccess) { printf("no launch\n"); break; }
  }
  while (cudaStreamQuery(0) == cudaErrorNotReady) { }
  CHECK(cudaDeviceSynchronize());
}
