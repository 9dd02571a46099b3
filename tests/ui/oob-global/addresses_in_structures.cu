// A copy of the driver whose structure holds the address as an integer writes the array of indices.
#include <cuda.h>
#include <vector>

__global__ void gather(float *p, const int *x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[x[i]] = 1.0f; //~ oob-global proved
}

int main() {
    int n = 1000;
    CUdeviceptr p, x;
    if (cuMemAlloc(&p, n * 4) || cuMemAlloc(&x, n * 4)) return 1;
    std::vector<int> v(n, 5000);
    cuMemsetD8(x, 0, n * 4);
    CUDA_MEMCPY2D c = {};
    c.srcMemoryType = CU_MEMORYTYPE_HOST;
    c.srcHost = v.data();
    c.srcPitch = 4000;
    c.dstMemoryType = CU_MEMORYTYPE_DEVICE;
    c.dstDevice = x;
    c.dstPitch = 4000;
    c.WidthInBytes = 4000;
    c.Height = 1;
    cuMemcpy2D(&c);
    gather<<<4, 256>>>((float *)p, (const int *)x, n);
    cudaDeviceSynchronize();
}
