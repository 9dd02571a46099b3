// What each round of a loop allocates and keeps is memory of its own: with its own size, and with contents that another's name may change.
//@ decided
#include <cstdlib>
#include <vector>
#include <cuda_runtime.h>

__global__ void larger(float *p, int n) { int i = threadIdx.x; if (i < n) p[i] = 1; } //~ oob-global proved
__global__ void apart(float *p, int n) { int i = threadIdx.x; if (i <= n) p[i] = 1; } //~ oob-global proved
__global__ void moved(float *p) { p[0] = 1; } //~ oob-global proved
__global__ void listed(float *p, const int *at, int n) { int i = threadIdx.x; if (i < n) p[at[i]] = 1; } //~ oob-global proved
__global__ void member(float *p, int n) { int i = threadIdx.x; if (i < n) p[i] = 1; } //~ oob-global proved

struct Row { float *data; int n; };

int main(int argc, char **argv) {
  int many = atoi(argv[1]), n = atoi(argv[2]);
  if (many < 2 || many > 64 || n < 1 || n > 64) return 1;

  std::vector<float *> rows(many);
  for (int i = 0; i < many; i++) cudaMalloc(&rows[i], (i + 1) * sizeof(float));
  for (int i = 1; i < many; i++) larger<<<1, 64>>>(rows[i - 1], i + 1);
  if (rows[0] != rows[1]) apart<<<1, 65>>>(rows[n % 2], 1);

  Row members[64];
  for (int i = 0; i < many; i++) { members[i].n = i + n; cudaMalloc(&members[i].data, members[i].n * sizeof(float)); }
  for (int i = 0; i < many; i++) member<<<1, 256>>>(members[i].data, members[i].n + 1);

  int *tables[64], *last = nullptr;
  for (int i = 0; i < many; i++) { int *table = (int *)malloc(n * sizeof(int)); table[0] = 0; tables[i] = table; last = table; }
  float *p;
  cudaMalloc(&p, n * sizeof(float));
  last[0] = 0;
  tables[many - 1][0] = n;
  moved<<<1, 1>>>(p + last[0]);

  int *at;
  cudaMalloc(&at, n * sizeof(int));
  for (int i = 0; i < n; i++) tables[0][i] = n;
  for (int i = 0; i < n; i++) tables[1][i] = i;
  cudaMemcpy(at, tables[0], n * sizeof(int), cudaMemcpyHostToDevice);
  listed<<<1, 64>>>(p, at, n);
  return cudaDeviceSynchronize();
}
