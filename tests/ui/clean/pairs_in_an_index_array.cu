//@ decided
// Two indices that a kernel reads at once, as a structure, are the two that the host put there.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void ends(int *a, const int *edges, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) {
        int2 e = ((const int2 *)edges)[i];
        a[e.x] = 1;
        a[e.y] = 1;
    }
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0, m = argc > 2 ? atoi(argv[2]) : 0;
    if (n < 1 || n > 1000 || m < 1 || m > 1000) return 1;
    int *a, *edges, *h = (int *)malloc(2 * m * sizeof(int));
    for (int i = 0; i < 2 * m; i++) h[i] = rand();
    for (int i = 0; i < 2 * m; i++) if (h[i] < 0 || h[i] >= n) return 1;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&edges, 2 * m * sizeof(int));
    cudaMemcpy(edges, h, 2 * m * sizeof(int), cudaMemcpyHostToDevice);
    ends<<<(m + 63) / 64, 64>>>(a, edges, m);
    return cudaDeviceSynchronize() != cudaSuccess;
}
