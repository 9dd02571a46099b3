//@ decided
// Out of bounds where threads run one after another: what decides it other threads write too, so that no replay of one thread shows it.
#include <cstdlib>
#include <cuda_runtime.h>

// The block before leaves the number of the element that comes next.
__global__ void follow(int *at, int *out) {
    out[at[0]] = 1; //~ oob-global possible
    at[0] = blockIdx.x + 1;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0, *at, *out;
    if (n < 2 || n > 100) return 1;
    cudaMalloc(&at, sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemset(at, 0, sizeof(int));
    follow<<<n + 1, 1>>>(at, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
