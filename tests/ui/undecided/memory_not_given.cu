// Where the C library gives no memory, the program goes on with less, or in another way: what it launches there is looked at.
//@ undecided: 1
#include <cstdio>
#include <cstdlib>
#include <new>
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void l(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

struct Table { int *rows; };

static int room(Table *t, int n) {
  t->rows = (int *)realloc(t->rows, n * sizeof(int));
  return t->rows ? 64 : 65;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]), *a;
  if (n < 64 || n > 100000) return 1;
  cudaMalloc(&a, 64 * sizeof(int));
  int *h = (int *)malloc(n * sizeof(int)), m = 64;
  if (!h) { m = 96; fprintf(stderr, "less\n"); }
  k<<<1, 128>>>(a, m);
  free(h);
  int *g = new (std::nothrow) int[n];
  if (g == nullptr) { k<<<1, 128>>>(a, 96); return 1; }
  Table t = {g};
  k<<<1, 128>>>(a, room(&t, n));
  void *p;
  if (posix_memalign(&p, 64, n) != 0) k<<<1, 128>>>(a, 65);
  l<<<1, 64>>>(a, 64);
  return cudaDeviceSynchronize();
}
