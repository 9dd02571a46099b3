// Rows are aligned by moving the pointer back by `shift`; the rest of a row shorter than the block has a negative size, of which a remainder is taken
// as of an unsigned number.
#include <cstdlib>

__global__ void scale(float *x, int dim) {
    float *row = x + blockIdx.x * dim;
    int shift = (blockIdx.x * dim) % 4;
    int size = dim;
    if (shift > 0) {
        row -= shift;
        size += shift;
        if (threadIdx.x >= shift && threadIdx.x < size) row[threadIdx.x] = 1;
        size -= blockDim.x;
        row += blockDim.x;
    }
    int last = size % (4 * blockDim.x);
    for (int offset = size - last + threadIdx.x; offset < size; offset += blockDim.x) row[offset] = 2; //~ oob-global proved
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int rows = atoi(argv[1]), dim = atoi(argv[2]);
    if (rows < 1 || rows > 1000 || dim < 40 || dim > 100000) return 1;
    float *x;
    cudaMalloc(&x, rows * dim * sizeof(float));
    scale<<<rows, 64>>>(x, dim);
    cudaDeviceSynchronize();
}
