#include "vector.h"
int main() {
    float4 *a;
    cudaMalloc(&a, 31 * 16 + 8);
    s<<<1, 32>>>(a);
    return cudaDeviceSynchronize() != cudaSuccess;
}
