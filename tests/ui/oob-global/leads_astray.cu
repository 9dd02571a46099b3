//@ decided
// What was read out of bounds may be any number: an index from there is possible, unless it is checked.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void fill(int *a, int n) { for (int i = 0; i < n; i++) a[i] = 0; }
__global__ void follow(const int *a, int *b, int n) {
    int i = a[n]; //~ oob-global proved
    b[i] = 1; //~ oob-global possible
}
__global__ void check(const int *a, int *b, int n) {
    int i = a[n]; //~ oob-global proved
    if (i >= 0 && i < n) b[i] = 1;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 1000) return 1;
    int *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    fill<<<1, 1>>>(a, n);
    follow<<<1, 1>>>(a, b, n);
    check<<<1, 1>>>(a, b, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
