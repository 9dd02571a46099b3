//@ decided
// What the device's variables hold at the start is known where nobody has written to them, and beside what was copied to them.
#include <cuda_runtime.h>

__device__ int zero[4];
__device__ int table[4] = {3, 1, 2, 0};
__constant__ int limits[4];
__constant__ short partly[8];
__device__ int counter = 2;

__global__ void by_tables(int *out) { out[zero[threadIdx.x & 3] + table[threadIdx.x & 3] + limits[threadIdx.x & 3]] = 1; }
__global__ void beside(int *out) { out[partly[threadIdx.x & 7]] = 1; }
__global__ void before_it_changes(int *out) { out[counter] = 1; }
__global__ void change() { counter = 3; }

int main() {
    int *out;
    cudaMalloc(&out, 4 * sizeof(int));
    cudaMemset(out, 0, 4 * sizeof(int));
    short two[2] = {3, 2};
    cudaMemcpyToSymbol(partly, two, sizeof two, 2 * sizeof(short));
    by_tables<<<1, 8>>>(out);
    beside<<<1, 8>>>(out);
    before_it_changes<<<1, 1>>>(out);
    change<<<1, 1>>>();
    return cudaDeviceSynchronize() != cudaSuccess;
}
