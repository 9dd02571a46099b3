// Less than nothing is left of a row where more is skipped than it has: the remainder is taken of an unsigned number, which is large then. Nothing
// wraps by that.
#include <cstdlib>

__global__ void rest(float *x, int rows, int cols, int skip) {
    for (int r = blockIdx.x; r < rows; r += gridDim.x) {
        int size = cols - skip;
        int tail = size % (4u * blockDim.x);
        float *row = x + r * cols + skip;
        for (int i = threadIdx.x; i < tail; i += blockDim.x) row[size - tail + i] = 1; //~ oob-global proved
    }
}

int main(int argc, char **argv) {
    if (argc < 5) return 1;
    int rows = atoi(argv[1]), cols = atoi(argv[2]), skip = 2 * atoi(argv[3]) + 3, b = atoi(argv[4]);
    if (rows < 1 || cols < 3000 || cols > 100000 || rows > 1000 || skip > 200003 || b > 1024 || cols % 1009 != 17 || skip < 0) return 1;
    float *x;
    cudaMalloc(&x, (size_t)rows * cols * sizeof(float));
    rest<<<(rows + 3) / 4, b>>>(x, rows, cols, skip);
    cudaDeviceSynchronize();
}
