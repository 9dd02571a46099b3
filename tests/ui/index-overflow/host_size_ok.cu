// Sizes computed in 64 bits, in 32 bits of what cannot be larger, and in 32 bits with a test of the result: nothing is said.
#include <cstdlib>

__global__ void fill(float *p, int rows, int cols) {
    long long r = blockIdx.y * (long long)blockDim.y + threadIdx.y;
    long long c = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (r >= rows || c >= cols) return;
    p[r * cols + c] = 1;
}
__global__ void small(float *p, int rows, int cols) {
    long long r = blockIdx.y * (long long)blockDim.y + threadIdx.y;
    long long c = blockIdx.x * (long long)blockDim.x + threadIdx.x;
    if (r < rows && c < cols) p[r * cols + c] = 1;
}
__global__ void tested(float *p, unsigned rows, unsigned cols) {
    size_t r = blockIdx.y * (size_t)blockDim.y + threadIdx.y;
    size_t c = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
    if (r < rows && c < cols) p[r * cols + c] = 1;
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int rows = atoi(argv[1]), cols = atoi(argv[2]);
    if (rows < 1 || cols < 1) return 1;
    float *p, *q, *s;
    cudaMalloc(&p, (size_t)rows * cols * sizeof(float));
    dim3 block(16, 16), grid((cols + 15) / 16, (rows + 15) / 16);
    fill<<<grid, block>>>(p, rows, cols);
    unsigned n = (unsigned)rows * cols;
    if (n / cols != rows) return 1;
    cudaMalloc(&s, n * sizeof(float));
    tested<<<grid, block>>>(s, rows, cols);
    if (rows > 20000 || cols > 20000) return 1;
    cudaMalloc(&q, rows * cols * sizeof(float));
    small<<<grid, block>>>(q, rows, cols);
    return cudaDeviceSynchronize() != cudaSuccess;
}
