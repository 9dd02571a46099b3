// As negative_remainder, with a tile whose width is an argument, and the way round the row from its end.
#include <cstdlib>

__global__ void tail(float *x, int cols, int skip, int w) {
    int size = cols - skip;
    int last = size % (w * blockDim.x);
    float *row = x + (size_t)blockIdx.x * cols;
    for (int i = size - last + threadIdx.x; i < size; i += blockDim.x) row[skip + i] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
    if (argc < 6) return 1;
    int rows = atoi(argv[1]), cols = atoi(argv[2]), skip = atoi(argv[3]), b = atoi(argv[4]), w = atoi(argv[5]);
    if (cols < 3000 || cols % 1009 != 17 || skip < 5 || w < 3) return 1;
    float *x;
    cudaMalloc(&x, (size_t)rows * cols * sizeof(float));
    tail<<<rows, b>>>(x, cols, skip, w);
    cudaDeviceSynchronize();
}
