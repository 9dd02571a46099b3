//@ decided
// Members of structures in device memory and of structures passed by value that nothing has written.
#include <cstdlib>

struct Grid {
  int *cells;
  int n;
  Grid *next;
  int *extra;
};

__global__ void fill(Grid *g) {
  int i = threadIdx.x;
  if (i < g->n) g->cells[i] = 1; //~ invalid-pointer proved
}
__global__ void chained(Grid *g) {
  int *c = g->next->cells; //~ invalid-pointer proved
  c[0] = 2; //~ invalid-pointer possible
}
__global__ void chosen(Grid *g, int which) {
  int *p = which ? g->cells : g->extra;
  p[0] = 1; //~ invalid-pointer proved
}
__global__ void by_value(Grid g) {
  g.extra[0] = g.n; //~ invalid-pointer proved
}
__global__ void guarded(Grid *g) {
  if (g->extra) g->extra[0] = 1; //~ invalid-pointer possible
}
__global__ void exchange(Grid *g) {
  int *c = g->cells;
  g->cells = g->extra;
  g->extra = c;
}
__global__ void after(Grid *g) {
  g->cells[0] = 1; //~ invalid-pointer proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  Grid *d;
  cudaMalloc(&d, sizeof(Grid));
  cudaMemcpy(&d->n, &n, sizeof(int), cudaMemcpyHostToDevice);
  fill<<<1, 32>>>(d);
  chained<<<1, 1>>>(d);
  cudaMemcpy(&d->cells, &a, sizeof(int *), cudaMemcpyHostToDevice);
  chosen<<<1, 1>>>(d, n > 7);
  guarded<<<1, 1>>>(d);
  Grid h;
  h.n = n;
  by_value<<<1, 1>>>(h);
  exchange<<<1, 1>>>(d);
  after<<<1, 1>>>(d);
  return cudaDeviceSynchronize();
}
