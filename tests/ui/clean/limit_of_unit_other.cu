#include "limit_of_unit.h"

__global__ void fill_other(int *a) { a[threadIdx.x] = limit; }

void set_other(int n) {
    int *b;
    cudaMalloc(&b, 8 * sizeof(int));
    cudaMemcpyToSymbol(limit, &n, sizeof n);
    fill_other<<<1, 8>>>(b);
}
