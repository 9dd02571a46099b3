//@ undecided: 1
// What is not stored as a whole, or not in every thread that reads it, may be anything; what is stored wrongly is found.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void bytes(int *next, float *a, int n) {
    int i = threadIdx.x;
    if (i < n) ((char *)next)[i] = 1;
    __syncthreads();
    if (i < n) a[next[i]] = 1; //~ oob-global proved
}

__global__ void some(const int *index, float *a, int n) {
    __shared__ int s[32];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) s[threadIdx.x] = index[i];
    __syncthreads();
    a[s[threadIdx.x]] = 1;
}

__global__ void added(int *next, float *a, int n) {
    int i = threadIdx.x;
    if (i < n) atomicOr(&next[i], n);
    if (i < n) a[next[i]] = 1; //~ oob-global proved
}

__global__ void grows(int *next, float *a, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    for (int r = 0; r < 2; r++) next[i] = next[i] + 1;
    a[next[i]] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 32) return 1;
    int *p, *q, *r, *index;
    float *a;
    cudaMalloc(&p, n * sizeof(int));
    cudaMalloc(&q, n * sizeof(int));
    cudaMalloc(&r, n * sizeof(int));
    cudaMalloc(&index, n * sizeof(int));
    cudaMalloc(&a, n * sizeof(float));
    cudaMemset(p, 0, n * sizeof(int));
    cudaMemset(q, 0, n * sizeof(int));
    cudaMemset(r, 0, n * sizeof(int));
    cudaMemset(index, 0, n * sizeof(int));
    bytes<<<1, 32>>>(p, a, n);
    some<<<1, 32>>>(index, a, n);
    added<<<1, 32>>>(q, a, n);
    grows<<<1, 32>>>(r, a, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
