// Programs that end, give up or do without where there is no memory, and those that do not look.
//@ decided
#include <cassert>
#include <cstdio>
#include <cstdlib>
#include <new>
#include <vector>
__global__ void k(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }

struct Row { int v[16]; Row() { v[0] = 7; } };

static int *get(int n) {
  int *p = (int *)malloc(n * sizeof(int));
  if (!p) { fprintf(stderr, "no memory\n"); exit(1); }
  return p;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]), *d;
  int *h = get(n), *g = (int *)malloc(n * sizeof(int));
  if (g == NULL) { free(h); return 1; }
  int *q = (int *)calloc(n, sizeof(int)), *w = (int *)malloc(n * sizeof(int));
  assert(q);
  Row *r = new (std::nothrow) Row;
  std::vector<int> v(n);
  for (int i = 0; i < n; i++) h[i] = g[i] = w[i] = i;
  int *rows[8];
  for (int i = 0; i < 8; i++) {
    rows[i] = (int *)malloc(64);
    if (!rows[i]) return 1;
  }
  cudaMalloc(&d, n * sizeof(int));
  cudaMemcpy(d, h, n * sizeof(int), cudaMemcpyHostToDevice);
  k<<<(n + 255) / 256, 256>>>(d, n);
  cudaMemcpy(w, d, n * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpy(q, d, n * sizeof(int), cudaMemcpyDeviceToHost);
  int *b;
  cudaMalloc(&b, sizeof(Row));
  cudaMemcpy(b, r->v, sizeof(Row), cudaMemcpyHostToDevice);
  int *more = (int *)malloc(n);
  if (more) free(more); else fprintf(stderr, "slower\n");
  k<<<1, 16>>>(b, 16);
  for (int i = 0; i < 8; i++) free(rows[i]);
  free(h); free(g); free(q); free(w);
  cudaFree(d);
  return cudaDeviceSynchronize();
}
