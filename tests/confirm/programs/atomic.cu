#include <cstdlib>
__global__ void histogram(unsigned *bins, const int *data, int n) {
    int i = threadIdx.x;
    if (i < n) atomicAdd(&bins[data[i]], 1u);
}
int main() {
    int h[4] = {0, 1, 2, 20}, *d;
    unsigned *b;
    cudaMalloc(&b, 4 * sizeof(unsigned));
    cudaMalloc(&d, sizeof h);
    cudaMemcpy(d, h, sizeof h, cudaMemcpyHostToDevice);
    histogram<<<1, 4>>>(b, d, 4);
    return cudaDeviceSynchronize() != cudaSuccess;
}
