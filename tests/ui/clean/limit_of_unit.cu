// Two units have a constant variable of one name from a header: each kernel sees what its own unit sets.
//@ with: limit_of_unit_other.cu
//@ decided
#include <cstdlib>
#include "limit_of_unit.h"

__global__ void fill(int *a) {
    if (threadIdx.x < limit) a[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
    int big = 20, small = 10;
    int *a;
    cudaMalloc(&a, 10 * sizeof(int));
    cudaMemcpyToSymbol(limit, &small, sizeof small);
    set_other(big);
    fill<<<1, 64>>>(a);
    cudaDeviceSynchronize();
}
