// The other unit of device_variables_changed.cu.
#include <cuda_runtime.h>

__device__ int shared_with_another;
static __device__ int of_each_unit;

__global__ void set_own() { of_each_unit = 5000; }

void fill_elsewhere() {
    int big = 1000;
    cudaMemcpyToSymbol(shared_with_another, &big, sizeof big);
    cudaMemcpyToSymbol(of_each_unit, &big, sizeof big);
    set_own<<<1, 1>>>();
}
