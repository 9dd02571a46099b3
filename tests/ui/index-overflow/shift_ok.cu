// The same shifts in 64 bits.
#include <cstdlib>

__global__ void spread(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[(size_t)i << 3] = 1;
}
__global__ void fill(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1;
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 1) return 1;
    float *wide, *p;
    cudaMalloc(&wide, (size_t)n * 8 * sizeof(float));
    size_t bytes = (size_t)n << 2;
    cudaMalloc(&p, bytes);
    spread<<<(n + 255) / 256, 256>>>(wide, n);
    fill<<<(n + 255) / 256, 256>>>(p, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
