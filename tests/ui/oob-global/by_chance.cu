//@ decided
// Only if `rand` gives a multiple of 1000, which its first number here is not.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void put(int *a, int i) { a[i] = 1; } //~ oob-global possible
__global__ void put_inside(int *a, int i) { a[i] = 1; }

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 1000) return 1;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    int r = rand();
    put<<<1, 1>>>(a, r % 1000 == 0 ? n : 0);
    put_inside<<<1, 1>>>(a, r % 1000 == 1000 ? n : 0);
    return cudaDeviceSynchronize() != cudaSuccess;
}
