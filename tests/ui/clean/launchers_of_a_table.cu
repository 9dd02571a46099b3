//@ decided
// Functions that launch, copied from a table to an array on the heap and called from there: which one is not known, but all that it
// can be are, and what each of them does.
#include <cstdlib>

typedef void (*Launch)(int *, int);

__global__ void front(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 0; }
__global__ void back(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[n - 1 - i] = 0; }

static void launch_front(int *a, int n) { front<<<(n + 255) / 256, 256>>>(a, n); }
static void launch_back(int *a, int n) { back<<<(n + 255) / 256, 256>>>(a, n); }

static Launch table[] = { launch_front, launch_back };

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int n = atoi(argv[1]), tasks = atoi(argv[2]), first = atoi(argv[3]);
  if (n < 1 || n > 100000 || tasks < 1 || tasks > 1000 || first < 0 || first > 1000) return 1;
  Launch *launches = (Launch *)malloc(tasks * sizeof(Launch));
  for (int i = 0; i < tasks; i++) launches[i] = table[(first + rand()) % 2];
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  for (int i = 0; i < tasks; i++) launches[i](a, n);
  cudaFree(a);
}
