//@ decided
// What takes long before the launch has no part in sizes: the launch is seen, and all that it needs is still known.
#include <cstdlib>
#include "part_slow.h"

__global__ void scale(float *a, int n, int limit, unsigned seed) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n && i < limit) a[i] *= (float)seed;
}

static unsigned table[16];
static int limit;

static void fill_table(unsigned from) {
    for (int i = 0; i < 16; i++) table[i] = slow(from + i);
}

int main(int argc, char **argv) {
    if (argc != 4) return 1;
    int n = atoi(argv[1]);
    limit = atoi(argv[2]);
    fill_table(atoi(argv[3]));
    if (table[0] == 1) exit(1);
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, limit * sizeof(float));
    scale<<<(n + 255) / 256, 256>>>(a, n, limit, table[3]);
    scale<<<(limit + 255) / 256, 256>>>(b, limit, n, slow(table[2]));
    cudaFree(a);
    cudaFree(b);
    return 0;
}
