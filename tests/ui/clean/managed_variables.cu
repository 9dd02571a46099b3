// A managed variable has its first value on both sides, and what the host stores there; kernels access it within its bounds.
//@ decided
#include <cstdlib>

__managed__ int last = 7;
__managed__ int counts[8];

__global__ void count() {
    if (threadIdx.x < 8) counts[threadIdx.x] += 1;
}

__global__ void put(int *a, int i) { a[i] = 1; }

int main(int argc, char **argv) {
    int *a;
    cudaMalloc(&a, 8 * sizeof(int));
    put<<<1, 1>>>(a, last);
    count<<<1, 32>>>();
    cudaDeviceSynchronize();
    last = 3;
    put<<<1, 1>>>(a, last);
    put<<<1, 1>>>(a, counts[1] & 7);
    cudaDeviceSynchronize();
}
