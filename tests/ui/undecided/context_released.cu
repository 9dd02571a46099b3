// A primary context that is released, or one that is destroyed, takes its memory with it unless others hold it.
//@ undecided: 1
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void write(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0f;
}

int main() {
    int n = 1000;
    CUcontext context;
    CUdeviceptr p;
    if (cuInit(0) || cuDevicePrimaryCtxRetain(&context, 0) || cuCtxSetCurrent(context)) return 1;
    if (cuMemAlloc(&p, n * 4)) return 1;
    cuDevicePrimaryCtxRelease(0);
    write<<<4, 256>>>((float *)p, n);
    cudaDeviceSynchronize();
}
