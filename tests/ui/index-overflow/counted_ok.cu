// What wraps only in more threads than an `int` can count, or in sizes that the program rejects, is no finding.
#include <cstdlib>

__global__ void scale(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= 2;
}

__global__ void transpose(float *to, const float *from, int width, int height) {
    int x = blockIdx.x * blockDim.x + threadIdx.x;
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < width && y < height) to[x * height + y] = from[y * width + x];
}

int main(int argc, char **argv) {
    if (argc < 5) return 1;
    int n = atoi(argv[1]), blocks = atoi(argv[2]), width = atoi(argv[3]), height = atoi(argv[4]);
    if (n < 1 || width < 1 || height < 1 || width > 40000 || height > 40000) return 1;
    float *v, *to, *from;
    cudaMalloc(&v, (size_t)n * sizeof(float));
    cudaMalloc(&to, (size_t)width * height * sizeof(float));
    cudaMalloc(&from, (size_t)width * height * sizeof(float));
    scale<<<blocks, 256>>>(v, n);
    dim3 block(16, 16), grid((width + 15) / 16, (height + 15) / 16);
    transpose<<<grid, block>>>(to, from, width, height);
    return cudaDeviceSynchronize() != cudaSuccess;
}
