//@ decided
// What a launch only reads is afterwards what it was: an array, a member of a structure, device variables, one of two that are swapped.
#include <cstdlib>
#include <cuda_runtime.h>

__constant__ int table[4];
__device__ int first;

struct Both { const int *index; int *out; int n; };

__device__ int get(const int *a, int i) { return a[i]; }

__global__ void read(const int *index, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[get(index, i)] = get(index, i) + first;
}
__global__ void read_members(Both b) {
    int i = threadIdx.x;
    if (i < b.n) { b.out[b.index[i]] += 1; atomicAdd(&b.out[0], table[i & 3]); }
}
__global__ void step(const int *index, const int *from, int *to, int n) {
    int i = threadIdx.x;
    if (i < n) to[index[i]] = from[index[i]];
}
__global__ void from_tables(int *out) { out[table[threadIdx.x & 3] + first] = 1; }

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 8 || n > 1000) return 1;
    int *host = (int *)malloc(n * sizeof(int)), *index, *a, *b;
    for (int i = 0; i < n; i++) host[i] = n - 1 - i;
    cudaMalloc(&index, n * sizeof(int));
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaMemcpy(index, host, n * sizeof(int), cudaMemcpyHostToDevice);
    cudaMemset(a, 0, n * sizeof(int));
    cudaMemset(b, 0, n * sizeof(int));
    int small[4] = {0, 2, 1, 3}, one = 1;
    cudaMemcpyToSymbol(table, small, sizeof small);
    cudaMemcpyToSymbol(first, &one, sizeof one);
    read<<<(n + 31) / 32, 32>>>(index, a, n);
    read_members<<<1, 1024>>>(Both{index, b, n});
    for (int i = 0; i < n / 4; i++) {
        step<<<1, 1024>>>(index, a, b, n);
        int *t = a; a = b; b = t;
    }
    read<<<(n + 31) / 32, 32>>>(index, b, n);
    from_tables<<<1, 4>>>(a);
    return cudaDeviceSynchronize() != cudaSuccess;
}
