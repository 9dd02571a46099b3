// Two units have a constant variable of one name from a header: what one sets the other does not see.
//@ with: limit_of_unit_other.cu
#include <cstdlib>
#include "limit_of_unit.h"

__global__ void fill(int *a) {
    if (threadIdx.x < limit) a[threadIdx.x] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
    int big = 20, small = 10;
    int *a;
    cudaMalloc(&a, 10 * sizeof(int));
    cudaMemcpyToSymbol(limit, &big, sizeof big);
    set_other(small);
    fill<<<1, 64>>>(a);
    cudaDeviceSynchronize();
}
