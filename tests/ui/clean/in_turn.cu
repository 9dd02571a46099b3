//@ decided
// As many blocks as there are elements: none leaves a number that is out of bounds for another.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void follow(int *at, int *out, int n) {
    out[at[0]] = 1;
    at[0] = (blockIdx.x + 1) % n;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0, *at, *out;
    if (n < 2 || n > 100) return 1;
    cudaMalloc(&at, sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(at, 0, sizeof(int));
    follow<<<n, 1>>>(at, out, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
