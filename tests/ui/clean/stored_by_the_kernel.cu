//@ decided
// A number that a kernel reads where its threads write is one that was there, or one that some of them stores.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void one_further(int *next, float *a, int n, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    int v = next[i];
    a[v - 1] = 1;
    next[i] = i % m + 1;
}

__global__ void staged(const int *index, float *a, int n) {
    __shared__ int s[128];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    s[threadIdx.x] = 0;
    __syncthreads();
    if (i < n) s[threadIdx.x] = index[i];
    __syncthreads();
    a[s[threadIdx.x]] = 1;
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[1]), m = atoi(argv[2]);
    if (n < 1 || n > 100000 || m < 1 || m > 100000) return 1;
    int *host = (int *)malloc(n * sizeof(int));
    int *next, *index;
    float *a, *b;
    cudaMalloc(&next, n * sizeof(int));
    cudaMalloc(&index, n * sizeof(int));
    cudaMalloc(&a, m * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    for (int i = 0; i < n; i++) host[i] = 1;
    cudaMemcpy(next, host, n * sizeof(int), cudaMemcpyHostToDevice);
    for (int i = 0; i < n; i++) host[i] = i;
    cudaMemcpy(index, host, n * sizeof(int), cudaMemcpyHostToDevice);
    staged<<<(n + 127) / 128, 128>>>(index, b, n);
    one_further<<<(n + 127) / 128, 128>>>(next, a, n, m);
    return cudaDeviceSynchronize() != cudaSuccess;
}
