//@ undecided-most: 1
// A loop of `main` takes long: what it does not touch is still known, what it changes where the time suffices.
#include <cstdlib>
#include "part_slow.h"

__global__ void untouched(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
__global__ void touched(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 2; }

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    int n = atoi(argv[1]);
    if (n < 1 || n > 1 << 20) return 1;
    int m = n;
    unsigned x = atoi(argv[2]);
    for (int i = 0; i < 64; i++) {
        x = x < 1000000 ? x + 1 : x & 1 ? four(x) : sixteen(x);
        if (x & 2) m--;
    }
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    untouched<<<(n + 255) / 256, 256>>>(a, n);
    touched<<<(m + 255) / 256, 256>>>(a, m);
    cudaFree(a);
    return 0;
}
