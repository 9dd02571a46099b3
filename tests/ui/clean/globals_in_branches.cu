//@ decided
// Within bounds: variables that only one branch, or some rounds of a loop, set keep what they held from the start on the other way.
#include <cstdlib>

static int first = 32, second = 8, third = 32, fourth = 8, fifth = 8;
static int table[4] = {32, 32, 32, 32};
struct Options { int n = 32; };
static Options options;

__global__ void otherwise(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void then(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void in_a_function(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void in_a_loop(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void in_a_switch(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void of_a_table(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void of_options(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void set(int argc) {
  if (argc > 3) return;
  third = 8;
}

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  if (argc > 2) first = 8;
  otherwise<<<1, 64>>>(a, first);
  if (argc > 2) second = 32;
  then<<<1, 64>>>(a, second);
  set(argc);
  in_a_function<<<1, 64>>>(a, third);
  for (int i = 1; i < argc; i++) if (atoi(argv[i]) == 7) fourth = 32;
  in_a_loop<<<1, 64>>>(a, fourth);
  switch (argc) {
    case 2: fifth = 16; break;
    case 3: fifth = 32; break;
    default: break;
  }
  in_a_switch<<<1, 64>>>(a, fifth);
  if (argc > 2) table[1] = 8;
  of_a_table<<<1, 64>>>(a, table[1]);
  if (argc > 2) options.n = 8;
  of_options<<<1, 64>>>(a, options.n);
  return cudaDeviceSynchronize();
}
