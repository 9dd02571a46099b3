// What a tile kernel may write: all that it is given leads to, in structures and tables, what variables of the device lead to, managed variables
// and memory of the host that devices see. What it is not given keeps what it holds, also behind one that may end by an assert.
//@ flags: -std=c++20 -enable-tile
//@ undecided: 6
#include "tiles.h"
#include <cassert>
#include <cstdlib>

struct Given {
  int *pointer;
  int n;
};

__device__ int *where;
__constant__ int *fixed;
__managed__ int number = 0;

__tile_global__ void by_value(Given g) {}
__tile_global__ void by_variables() {}
__tile_global__ void by_table(int **table) {}
__tile_global__ void with_assert(int n) { assert(n > 0); }

__global__ void in_a_structure(int *a, const int *b) {
  a[b[0]] = 1;
}

__global__ void through_a_variable(int *a, const int *b) {
  a[b[0]] = 1;
}

__global__ void through_a_constant(int *a, const int *b) {
  a[b[0]] = 1;
}

__global__ void in_a_table(int *a, const int *b) {
  a[b[0]] = 1;
}

__global__ void managed(int *a, int i) {
  a[i] = 1;
}

__global__ void pinned(int *a, int i) {
  a[i] = 1;
}

__global__ void not_given(int *a, const int *b) {
  a[b[0]] = 1;
}

__global__ void not_given_and_past(int *a, const int *b) {
  a[b[0] + 1000] = 1; //~ oob-global proved
}

int *zero() {
  int *b, value = 0;
  cudaMalloc(&b, sizeof(int));
  cudaMemcpy(b, &value, sizeof(int), cudaMemcpyHostToDevice);
  return b;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000)
    return 1;
  int *a, **table, *host;
  cudaMalloc(&a, n * sizeof(int));
  int *b1 = zero(), *b2 = zero(), *b3 = zero(), *b4 = zero(), *kept = zero();
  cudaMalloc(&table, sizeof(int *));
  cudaMemcpy(table, &b4, sizeof(int *), cudaMemcpyHostToDevice);
  cudaMemcpyToSymbol(where, &b2, sizeof b2);
  cudaMemcpyToSymbol(fixed, &b3, sizeof b3);
  cudaMallocHost(&host, sizeof(int));
  *host = 0;
  Given first{b1, 1}, second{host, 1};
  by_value<<<1, 1>>>(first);
  by_variables<<<2, 1>>>();
  by_table<<<4, 1>>>(table);
  by_value<<<1, 1>>>(second);
  with_assert<<<1, 1>>>(n);
  cudaDeviceSynchronize();
  not_given<<<1, 1>>>(a, kept);
  not_given_and_past<<<1, 1>>>(a, kept);
  in_a_structure<<<1, 1>>>(a, b1);
  through_a_variable<<<1, 1>>>(a, b2);
  through_a_constant<<<1, 1>>>(a, b3);
  in_a_table<<<1, 1>>>(a, b4);
  managed<<<1, 1>>>(a, number);
  pinned<<<1, 1>>>(a, *host);
  cudaDeviceSynchronize();
}
