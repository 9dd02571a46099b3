//@ decided
// Options that a loop puts into globals: counters, flags, members, elements of tables.
#include <cstdlib>

struct Options { int n; int border; bool quiet; } options;
static int table[4] = {1, 2, 3, 4};
int size = 33554432;
int given;
static int padding;

static int number(const char *text, int *out) {
  char *end;
  *out = strtol(text, &end, 10);
  return *end == 0;
}

static void read(int argc, char **argv) {
  for (int i = 1; i < argc; i++) {
    given += 2;
    if (argv[i][0] == 'n') options.n = atoi(argv[i] + 1);
    else if (argv[i][0] == 'b') options.border = 3;
    else if (argv[i][0] == 'q') options.quiet = true;
    else if (argv[i][0] == 't') table[1] = 7;
    else if (argv[i][0] == 'p') padding = 1;
    else if (!number(argv[i], &size) || size <= 0) exit(2);
  }
}

__global__ void whole(double *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 0; }

__global__ void some(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

int main(int argc, char **argv) {
  read(argc, argv);
  if (size % 256 != 0 || options.n <= 0 || options.n > 1000000) return 1;
  double *a;
  cudaMalloc(&a, size * sizeof(double));
  whole<<<size / 256, 256>>>(a);
  int *b, *c;
  cudaMalloc(&b, (options.n + 10) * sizeof(int));
  some<<<(options.n + 255) / 256 + 1, 256>>>(b, options.n + options.border + table[1]);
  cudaMalloc(&c, (argc + 1) * 2 * sizeof(int));
  some<<<(given + 255) / 256 + 1, 256>>>(c, given + padding);
  return cudaDeviceSynchronize();
}
