// A launch behind a condition that nothing here decides, where the other side ends the program as usual: no run is known to come there.
#include <unistd.h>

__global__ void write(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0f;  //~ oob-global possible
}

int main() {
    float *p;
    if (cudaMalloc(&p, 4000) != cudaSuccess) return 1;
    if (!getppid()) write<<<4, 256>>>(p, 1001);
    cudaDeviceSynchronize();
}
