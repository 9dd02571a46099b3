// One finding speaks for all accesses behind an operation, of the device or of the host: where a size goes round, nothing is said of the
// indices that go round with it.
#include <cstdlib>

__global__ void fill(float *image, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x >= width || y >= height) return;
    image[y * width + x] = 0; //~ index-overflow proved
    image[y * width + x] += 1;
}

__global__ void negate(float *image, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) image[y * width + x] *= -1; //~ index-overflow proved
}

int main(int argc, char **argv) {
    if (argc < 5) return 1;
    int width = atoi(argv[1]), height = atoi(argv[2]), columns = atoi(argv[3]), rows = atoi(argv[4]);
    float *image, *small;
    cudaMalloc(&image, sizeof(float) * width * height);
    cudaMalloc(&small, columns * rows * sizeof(float));
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16), others((columns + 15) / 16, (rows + 15) / 16);
    fill<<<grid, block>>>(image, width, height);
    negate<<<others, block>>>(small, columns, rows);
    cudaFree(image);
    cudaFree(small);
    return cudaDeviceSynchronize() != cudaSuccess;
}
