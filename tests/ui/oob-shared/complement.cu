// An `unsigned` index that goes round: 16 GiB away as the language has it, the element before on the device.
#include <cstdlib>

__global__ void merge(int *out, int n) {
    __shared__ int window[64];
    unsigned x = threadIdx.x;
    window[x] = x;
    __syncthreads();
    int *end = window + 64;
    if (x < n) out[x] = end[~x]; //~ oob-shared possible
    if (x < n) out[x] += window[~x]; //~ oob-shared proved
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 1 || n > 64) return 1;
    int *out;
    cudaMalloc(&out, n * sizeof(int));
    merge<<<1, 64>>>(out, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
