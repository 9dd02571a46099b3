// cudaMalloc of own_runtime.cu.
#include <cuda.h>
#include <cuda_runtime.h>

extern "C" cudaError_t cudaMalloc(void **p, size_t bytes) {
    CUdeviceptr d = 0;
    CUresult result = cuMemAlloc(&d, bytes / 2);
    *p = (void *)d;
    return result == CUDA_SUCCESS ? cudaSuccess : cudaErrorMemoryAllocation;
}
