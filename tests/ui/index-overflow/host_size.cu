// A size computed in 32 bits on the host: 65536 x 65537 elements wrap to 65536, and the kernel runs past what was allocated.
#include <cstdlib>

__global__ void fill(float *p, int rows, int cols) {
    long long r = blockIdx.y * (long long)blockDim.y + threadIdx.y;
    long long c = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (r >= rows || c >= cols) return;
    p[r * cols + c] = 1; //~ index-overflow proved
    p[r * cols + c] += 2;
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int rows = atoi(argv[1]), cols = atoi(argv[2]);
    if (rows < 1 || cols < 1) return 1;
    int n = rows * cols;
    float *p;
    cudaMalloc(&p, n * sizeof(float));
    dim3 block(16, 16), grid((cols + 15) / 16, (rows + 15) / 16);
    fill<<<grid, block>>>(p, rows, cols);
    cudaFree(p);
    return cudaDeviceSynchronize() != cudaSuccess;
}
