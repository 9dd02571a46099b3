// The same in 32 bits, and in few bits of what is known to be small.
#include <cstdlib>

__global__ void by_int(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1;
}
__global__ void by_short(float *p, int n) {
    short i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1;
}
__global__ void by_char(float *p, int n) {
    unsigned char i = threadIdx.x;
    if (i < n) p[i] = 1;
}
__global__ void tiles(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1;
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 1) return 1;
    float *p, *q, *t;
    cudaMalloc(&p, n * sizeof(float));
    cudaMalloc(&q, n * sizeof(float));
    int rows = n / 256 + 1;
    cudaMalloc(&t, (size_t)rows * 256 * sizeof(float));
    by_int<<<(n + 255) / 256, 256>>>(p, n);
    by_char<<<1, 256>>>(q, n);
    tiles<<<(n + 255) / 256, 256>>>(t, n);
    if (n > 32000) return 1;
    by_short<<<(n + 255) / 256, 256>>>(p, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
