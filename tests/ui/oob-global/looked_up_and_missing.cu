// Names by which the driver has no function: the look-up succeeds and leaves a null pointer, and what the program does then is what runs.
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void write(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0f;  //~ oob-global proved
}

int main() {
    void *f = nullptr;
    CUdriverProcAddressQueryResult found;
    if (cuGetProcAddress("cuMemAlloc_v2", &f, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found)) return 1;
    int n = 1000;
    CUdeviceptr p;
    if (f) {
        if (((CUresult(*)(CUdeviceptr *, size_t))f)(&p, n * 4)) return 1;
    } else if (cuMemAlloc(&p, n * 4 - 4)) {
        return 1;
    }
    write<<<4, 256>>>((float *)p, n);
    cudaDeviceSynchronize();
}
