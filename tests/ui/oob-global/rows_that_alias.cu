// One of the rows is no allocation of its own but the number from which the launch takes its size: by a cast, as bytes, by a copy of
// another array, and in a block that grows. Nothing that is stored through rows may leave that number as it was.
#include <cstdlib>
#include <cstring>

struct Net { int inputs; int **rows; };

__global__ void first(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 0; } //~ oob-global proved
__global__ void second(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 0; } //~ oob-global proved
__global__ void third(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 0; } //~ oob-global proved
__global__ void fourth(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 0; } //~ oob-global proved

static Net *make(int n) { Net *net = (Net *)malloc(sizeof(Net)); net->inputs = n; return net; }

static int **allocate(int m, int n) {
  int **rows = (int **)malloc(m * sizeof(int *));
  for (int i = 0; i < m; i++) rows[i] = (int *)malloc(n * sizeof(int));
  return rows;
}

static void store(int **rows, int m, int value) { for (int i = 0; i < m; i++) rows[i][0] = value; }

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]), k = atoi(argv[3]);
  if (n < 1 || n > 100000 || m < 1 || m > 1000 || k < 0 || k >= m) return 1;
  int *d;
  cudaMalloc(&d, n * sizeof(int));

  Net *a = make(n);
  int **rows = allocate(m, n);
  rows[k] = (int *)a;
  store(rows, m, 2 * n);
  first<<<(a->inputs + 255) / 256, 256>>>(d, a->inputs);

  Net *b = make(n);
  rows = allocate(m, n);
  int *address = &b->inputs;
  for (size_t i = 0; i < sizeof address; i++) ((unsigned char *)(rows + k))[i] = ((unsigned char *)&address)[i];
  store(rows, m, 2 * n);
  second<<<(b->inputs + 255) / 256, 256>>>(d, b->inputs);

  Net *c = make(n);
  int **others = allocate(m, n);
  for (int i = k; i < m; i++) others[i] = &c->inputs;
  rows = allocate(m, n);
  memcpy(rows, others, m * sizeof(int *));
  store(rows, m, 2 * n);
  third<<<(c->inputs + 255) / 256, 256>>>(d, c->inputs);

  Net *e = make(n);
  rows = allocate(m, n);
  for (int i = k; i < m; i++) rows[i] = &e->inputs;
  rows = (int **)realloc(rows, 2 * m * sizeof(int *));
  store(rows, m, 2 * n);
  fourth<<<(e->inputs + 255) / 256, 256>>>(d, e->inputs);
  cudaFree(d);
}
