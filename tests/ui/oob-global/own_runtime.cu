// A program that defines a function of the runtime means its own: here it allocates half.
#include <cuda.h>
#include <cuda_runtime.h>

extern "C" cudaError_t cudaMalloc(void **p, size_t bytes) {
    CUdeviceptr d = 0;
    CUresult result = cuMemAlloc(&d, bytes / 2);
    *p = (void *)d;
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorMemoryAllocation;
}

__global__ void write(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0f;  //~ oob-global proved
}

int main() {
    float *p;
    if (cudaMalloc((void **)&p, 4000) != cudaSuccess) return 1;
    write<<<4, 256>>>(p, 1000);
    cudaDeviceSynchronize();
}
