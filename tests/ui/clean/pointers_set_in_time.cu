// Pointers in device memory that are set before they are used: by copies of members, by kernels, through other names, on all paths
// that use them.
#include <cstdlib>
#include <cstring>
#include <vector>

struct Grid {
  int *cells;
  int n;
  Grid *next;
  int *extra;
};

__device__ int *where;
__device__ Grid common;

__global__ void use(Grid *g) {
  int i = threadIdx.x;
  if (i < g->n) g->cells[i] = 1;
}
__global__ void use_value(Grid g) {
  int i = threadIdx.x;
  if (i < g.n) g.cells[i] = 1;
}
__global__ void flat(int *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1;
}
__global__ void set(Grid *g, int *a, int n) {
  if (threadIdx.x == 0) {
    g->cells = a;
    g->n = n;
    g->next = g;
    g->extra = nullptr;
  }
}
__global__ void use_next(Grid *g) {
  g->next->next->cells[0] = 1;
  if (g->extra) g->extra[0] = 1;
}
__global__ void remember(int *a) { where = a; }
__global__ void use_where() { where[0] = 1; }
__global__ void use_common() {
  if (threadIdx.x < common.n) common.cells[threadIdx.x] = 2;
}
__global__ void rows_of(int *a) {
  __shared__ int *rows[4];
  __shared__ int *first;
  if (threadIdx.x < 4) rows[threadIdx.x] = a + threadIdx.x;
  if (threadIdx.x == 0) first = a;
  __syncthreads();
  rows[threadIdx.x & 3][0] = 1;
  first[0] = 2;
}
__global__ void tables(int *a, int *b, int k) {
  int *t[2], *p;
  bool known = false;
  t[0] = a;
  t[1] = b;
  t[k & 1][0] = 1;
  if (k > 3) {
    p = a;
    known = true;
  }
  if (known) p[0] = 1;
}

static bool try_alloc(int **p, int n) { return cudaMalloc((void **)p, n * sizeof(int)) == cudaSuccess; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 4 || n > 1000) return 1;
  int *a;
  if (!try_alloc(&a, n)) return 1;
  flat<<<1, 32>>>(a, n);

  Grid h;
  h.cells = a;
  h.n = n;
  Grid *d;
  cudaMalloc(&d, sizeof h);
  cudaMemcpy(d, &h, sizeof h, cudaMemcpyHostToDevice);
  use<<<1, 32>>>(d);
  use_value<<<1, 32>>>(h);
  use<<<1, 32>>>(d);

  Grid *made;
  cudaMalloc(&made, sizeof(Grid));
  set<<<1, 32>>>(made, a, n);
  use<<<1, 32>>>(made);
  use_next<<<1, 1>>>(made);

  Grid *set_by_one;
  cudaMalloc(&set_by_one, sizeof(Grid));
  set<<<1, 1>>>(set_by_one, a, n);
  use_next<<<1, 1>>>(set_by_one);

  std::vector<Grid> all(3);
  for (auto &g : all) {
    g.cells = a;
    g.n = n;
  }
  Grid *each;
  cudaMalloc(&each, 3 * sizeof(Grid));
  cudaMemcpy(each, all.data(), 3 * sizeof(Grid), cudaMemcpyHostToDevice);
  for (int i = 0; i < 3; i++) use<<<1, 32>>>(each + i);

  Grid *rows;
  cudaMalloc(&rows, sizeof(Grid));
  cudaMemcpy2D(rows, sizeof h, &h, sizeof h, sizeof h, 1, cudaMemcpyHostToDevice);
  use<<<1, 32>>>(rows);

  cudaMemcpyToSymbol(common, &h, sizeof h);
  use_common<<<1, 32>>>();
  remember<<<1, 1>>>(a);
  use_where<<<1, 1>>>();
  rows_of<<<1, 32>>>(a);
  tables<<<1, 1>>>(a, a, n);

  Grid copy;
  memcpy(&copy, &h, sizeof h);
  use_value<<<1, 32>>>(copy);
  Grid *shared;
  cudaMallocManaged(&shared, sizeof(Grid));
  shared->cells = a;
  shared->n = n;
  use<<<1, 32>>>(shared);
  return cudaDeviceSynchronize();
}
