// Addresses of device memory that are kept as integers (`CUdeviceptr`) in structures and tables: a kernel that gets one there writes the
// array, so that it no longer holds the zeros that it was filled with.
#include <cuda.h>

struct Array {
    CUdeviceptr data;
    int n;
};

__global__ void set(Array a) {
    int i = threadIdx.x;
    if (i < a.n) ((int *)a.data)[i] = 5000;
}

__global__ void gather(float *p, const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[x[i]] = 1.0f;  //~ oob-global proved
}

int main() {
    int n = 1000;
    CUdeviceptr p, x;
    if (cuMemAlloc(&p, n * 4) || cuMemAlloc(&x, n * 4)) return 1;
    cuMemsetD32(x, 0, n);
    set<<<1, 256>>>(Array{x, n});
    gather<<<4, 256>>>((float *)p, (const int *)x, n);
    cudaDeviceSynchronize();
}
