// Shifts that lose high bits: of an index on the device, of a size on the host.
#include <cstdlib>

__global__ void spread(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i << 3] = 1; //~ index-overflow proved
}
__global__ void fill(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1; //~ index-overflow proved
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 1) return 1;
    float *wide, *p;
    cudaMalloc(&wide, (size_t)n * 8 * sizeof(float));
    unsigned bytes = n << 2;
    cudaMalloc(&p, bytes);
    spread<<<(n + 255) / 256, 256>>>(wide, n);
    fill<<<(n + 255) / 256, 256>>>(p, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
