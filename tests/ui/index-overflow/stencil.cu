// Neighbours in one array are one product: one finding, although each index is an operation of its own.
#include <cstdlib>

__global__ void blur(float *out, const float *in, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < 1 || y < 1 || x >= width - 1 || y >= height - 1) return;
    float sum = in[(y - 1) * width + x]; //~ index-overflow proved
    sum += in[y * width + x - 1];
    sum += in[y * width + x + 1];
    sum += in[(y + 1) * width + x];
    out[y * width + x] = sum / 4;
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int width = atoi(argv[1]), height = atoi(argv[2]);
    if (width < 1 || height < 1) return 1;
    float *in, *out;
    cudaMalloc(&in, (size_t)width * height * sizeof(float));
    cudaMalloc(&out, (size_t)width * height * sizeof(float));
    cudaMemset(in, 0, (size_t)width * height * sizeof(float));
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    blur<<<grid, block>>>(out, in, width, height);
    return cudaDeviceSynchronize() != cudaSuccess;
}
