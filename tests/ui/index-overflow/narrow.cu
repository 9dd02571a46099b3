// Indices and sizes kept in 8 and 16 bits: each wraps long before the array ends.
#include <cstdlib>

__global__ void by_short(float *p, int n) {
    short i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1; //~ index-overflow proved
}
__global__ void by_char(float *p, int n) {
    int whole = blockIdx.x * blockDim.x + threadIdx.x;
    signed char i = whole;
    if (whole < n) p[i] = 1; //~ index-overflow proved
}
__global__ void tiles(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1; //~ index-overflow proved
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 1) return 1;
    float *p, *q, *t;
    cudaMalloc(&p, n * sizeof(float));
    cudaMalloc(&q, n * sizeof(float));
    unsigned char rows = n / 256 + 1;
    cudaMalloc(&t, rows * 256 * sizeof(float));
    by_short<<<(n + 255) / 256, 256>>>(p, n);
    by_char<<<(n + 255) / 256, 256>>>(q, n);
    tiles<<<(n + 255) / 256, 256>>>(t, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
