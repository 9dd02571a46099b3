// A bound computed in 32 bits on the host: a product that wraps below zero is a huge number of elements for the kernel.
#include <cstdlib>

__global__ void fill(unsigned char *p, size_t n) {
    size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1; //~ index-overflow proved
}

int main(int argc, char **argv) {
    if (argc < 4) return 1;
    int rows = atoi(argv[1]), cols = atoi(argv[2]), planes = atoi(argv[3]);
    if (rows < 1 || cols < 1 || planes < 1 || rows > 2048 || cols > 2048) return 1;
    unsigned char *p;
    size_t plane = (size_t)rows * cols;
    cudaMalloc(&p, plane);
    int sum = rows * cols * planes;
    size_t each = sum / planes;
    fill<<<(rows * cols + 255) / 256, 256>>>(p, each);
    return cudaDeviceSynchronize() != cudaSuccess;
}
