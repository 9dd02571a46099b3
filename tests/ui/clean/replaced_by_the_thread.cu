//@ decided
// What a thread has replaced itself is not what was there at the launch; an atomic operation behind a condition that never holds adds
// nothing.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void renumber(int *index, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        index[i] = n - 1 - i;
        out[index[i]] = 1;
    }
}
__global__ void never_adds(int *index, int *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    if (n < 0) atomicAdd(&index[i], 1);
    index[i] = i;
    out[index[n - 1 - i]] = 1;
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 1000) return 1;
    int *host = (int *)malloc(n * sizeof(int)), *index, *zeros, *out;
    for (int i = 0; i < n; i++) host[i] = rand();
    cudaMalloc(&index, n * sizeof(int));
    cudaMalloc(&zeros, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMemcpy(index, host, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(zeros, 0, n * sizeof(int));
    renumber<<<(n + 31) / 32, 32>>>(index, out, n);
    never_adds<<<1, 1024>>>(zeros, out, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
