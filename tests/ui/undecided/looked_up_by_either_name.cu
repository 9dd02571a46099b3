// A launch through a function that is looked up by one of two names, and a free: neither is known, and each may be meant.
//@ undecided: 2
#include <cuda.h>
#include <cuda_runtime.h>
#include <dlfcn.h>

__global__ void write(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0f;
}

__global__ void read(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 2.0f;
}

int main(int argc, char **) {
    int n = 1000;
    float *p;
    if (cudaMalloc(&p, n * sizeof(float)) != cudaSuccess) return 1;
    write<<<4, 256>>>(p, n);
    cudaDeviceSynchronize();
    void *library = dlopen("libcuda.so.1", RTLD_NOW);
    auto f = (CUresult(*)(CUdeviceptr))dlsym(library, argc > 1 ? "cuMemFree_v2" : "cuMemFree");
    f((CUdeviceptr)p);
    read<<<4, 256>>>(p, n);
    cudaDeviceSynchronize();
}
