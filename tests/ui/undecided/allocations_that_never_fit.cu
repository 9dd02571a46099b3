// Allocations that no device has room for fail, checked or not: memory behind them does not exist, and what follows is reached.
//@ undecided: 3
#include <cstdlib>
__global__ void missing(float *a) { a[threadIdx.x] = 1.0f; }
__global__ void beside(float *b) { b[threadIdx.x] = 1.0f; }
__global__ void refused(float *c) { c[threadIdx.x] = 1.0f; }
__global__ void never(float *d) { d[threadIdx.x + 1000] = 1.0f; }

int main() {
    float *a = nullptr, *b, *c, *d;
    cudaMalloc(&a, 1ULL << 40);
    missing<<<1, 32>>>(a);
    cudaMalloc(&b, 16);
    beside<<<1, 32>>>(b);
    if (cudaMalloc(&c, (size_t)-1) != cudaSuccess) {
        cudaMalloc(&c, 16);
        refused<<<1, 32>>>(c);
        return 1;
    }
    cudaMalloc(&d, 16);
    never<<<1, 32>>>(d);
    return cudaDeviceSynchronize();
}
