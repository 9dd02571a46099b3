// An index of two `int`s that goes round for large images; the same in 64 bits does not.
//@ decided
#include <cstdlib>

__global__ void clear(float *image, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) image[y * width + x] = 0; //~ index-overflow proved
}

__global__ void clear_wide(float *image, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) image[(size_t)y * width + x] = 0;
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int width = atoi(argv[1]), height = atoi(argv[2]);
    float *image;
    cudaMalloc(&image, (size_t)width * height * sizeof(float));
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    clear<<<grid, block>>>(image, width, height);
    clear_wide<<<grid, block>>>(image, width, height);
    cudaFree(image);
    return cudaDeviceSynchronize() != cudaSuccess;
}
