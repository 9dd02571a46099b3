// One allocation of the device in two halves, and another allocation behind it that is reached by a large step.
#include <cstdlib>
__global__ void split(float *work, const float *in, float *far, int n, int step) {
    float *low = work;
    float *high = work + n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    low[i + 1] = in[i];
    high[i] = -in[i];
    far[i * step] = in[i];
}
int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 2 || n > 4096) return 1;
    float *work, *in, *far;
    cudaMalloc(&far, n * sizeof(float));
    cudaMalloc(&work, 2 * (size_t)n * sizeof(float));
    cudaMalloc(&in, n * sizeof(float));
    split<<<(n + 127) / 128, 128>>>(work, in, far, n, 1 << 16);
    return cudaDeviceSynchronize() != cudaSuccess;
}
