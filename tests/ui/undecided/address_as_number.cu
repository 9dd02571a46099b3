// A table holds the address of a variable as a number, through which options are set.
//@ undecided: 1
#include <cstdint>
#include <cstdlib>
#include <cstring>

struct Option {
  const char *name;
  uintptr_t where;
};
static int size = 16, depth = 1;
static const Option options[] = {{"size", (uintptr_t)&size}, {"depth", (uintptr_t)&depth}};

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

int main(int argc, char **argv) {
  for (int k = 1; k + 1 < argc; k += 2)
    for (const Option &o : options)
      if (!strcmp(o.name, argv[k])) *(int *)o.where = atoi(argv[k + 1]);
  float *a;
  cudaMalloc(&a, 16 * sizeof(float));
  fill<<<32, 128>>>(a, size);
  return cudaDeviceSynchronize();
}
