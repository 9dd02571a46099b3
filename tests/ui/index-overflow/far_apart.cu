// Replays of large sizes write far apart: what they may take is bounded, and the rest is decided all the same.
#include <cstdlib>

__global__ void scale(float *v, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i] *= 2;
}
__global__ void stride(float *v, int n, int s) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) v[i * s] *= 2; //~ oob-global degenerate-proved
}
__global__ void loop(float *v, int n) {
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += blockDim.x * gridDim.x) v[i] = 1; //~ index-overflow proved
}
int main(int argc, char **argv) {
    if (argc < 4) return 1;
    int n = atoi(argv[1]), s = atoi(argv[2]), b = atoi(argv[3]);
    float *d, *e;
    cudaMalloc(&d, (size_t)n * sizeof(float));
    cudaMalloc(&e, (size_t)n * s * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(d, n);
    stride<<<(n + 255) / 256, 256>>>(e, n, s);
    loop<<<b, 256>>>(d, n); // 8388607 blocks: the second round of block 1 is at 2^31
    return cudaDeviceSynchronize() != cudaSuccess;
}
