//@ undecided: 9
//@ flags: -rdc=true
// What launched kernels write is not known to the launching one, to its other launches and to what follows: no index that is read there is
// safe. A kernel of a table that is right, and a recursion whose arguments move, are undecided.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void set(int *index, int v) { index[threadIdx.x] = v; }

// The launching kernel reads what the launched one writes.
__global__ void reads_beside(int *index, int *a, int v) {
  if (threadIdx.x == 0) set<<<1, 32>>>(index, v);
  a[index[threadIdx.x]] = 1;
}

// One launched kernel reads what another one writes.
__global__ void uses(const int *index, int *a) { a[index[threadIdx.x]] = 2; } //~ oob-global proved
__global__ void two(int *index, int *a, int v) {
  if (threadIdx.x == 0) {
    set<<<1, 32>>>(index, v);
    uses<<<1, 32>>>(index, a);
  }
}

// The launched kernel reads what the launching one writes.
__global__ void hands_over(int *index, int *a, int v) {
  index[threadIdx.x] = v;
  __syncthreads();
  if (threadIdx.x == 0) uses<<<1, 32>>>(index, a);
}

// The launching kernel changes what the launched one has checked, and a single thread what it has set.
__global__ void checks(const int *index, int *a) {
  if (index[0] >= 0 && index[0] < 32) a[index[0]] = 6;
}
__global__ void sets(int *index, int *a) {
  index[0] = 0;
  a[index[0]] = 7;
}
__global__ void changes(int *index, int *a, int v) {
  checks<<<1, 32>>>(index, a);
  sets<<<1, 1>>>(index, a);
  index[0] = v;
}

// A single thread, whose own stores are followed otherwise.
__global__ void alone(int *index, int *a, int v) {
  index[0] = 0;
  set<<<1, 1>>>(index, v);
  a[index[0]] = 3;
}

// Two levels: the variable is set two launches below.
__device__ int where;
__global__ void sets_variable(int v) { where = v; }
__global__ void middle(int v) { sets_variable<<<1, 1>>>(v); }
__global__ void top(int *a, int v) {
  middle<<<1, 1>>>(v);
  a[where] = 4;
}

__global__ void first(int *a) { a[threadIdx.x] = 1; }
__global__ void second(int *a) { a[threadIdx.x + 1] = 1; } //~ oob-global proved
typedef void (*Kernel)(int *);
__device__ Kernel table[2] = {first, second};
__global__ void by_table(int *a, int which) { table[which & 1]<<<1, 32>>>(a); }

__global__ void moves(int *a, int at) {
  a[at] = 1;
  if (at < 1000) moves<<<1, 1>>>(a, at + 1);
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int v = atoi(argv[1]);
  int *index, *a, *b;
  cudaMalloc(&index, 32 * sizeof(int));
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMemset(index, 0, 32 * sizeof(int));
  reads_beside<<<1, 32>>>(index, a, v);
  cudaMemset(index, 0, 32 * sizeof(int));
  two<<<1, 32>>>(index, a, v);
  cudaMemset(index, 0, 32 * sizeof(int));
  hands_over<<<1, 32>>>(index, a, v);
  cudaMemset(index, 0, 32 * sizeof(int));
  alone<<<1, 1>>>(index, a, v);
  cudaMemset(index, 0, 32 * sizeof(int));
  changes<<<1, 1>>>(index, a, v);
  top<<<1, 1>>>(a, v);
  by_table<<<1, 1>>>(a, v);
  cudaMalloc(&b, 32 * sizeof(int));
  moves<<<1, 1>>>(b, 0);
  cudaDeviceSynchronize();
  return 0;
}
