#include <cstdlib>
#include <cstdio>
__global__ void scale(float *a, float f) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    a[i] = f * 2.0f;
}
int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    float *d;
    cudaMalloc(&d, n * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(d, 3.0f);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
