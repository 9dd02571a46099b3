#include <cstdlib>
__global__ void s(int *o) { o[threadIdx.x] = 1; }
int main() {
    s<<<1, 32>>>((int *)malloc(128));
    return cudaDeviceSynchronize() != cudaSuccess;
}
