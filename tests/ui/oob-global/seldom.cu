//@ undecided: 1
// What the first kernel leaves is not known, and few inputs make it a bad index for the second.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void fill(int *a, int v) { a[0] = v; }
__global__ void use(const int *a, int *b) { b[a[0]] = 1; } //~ oob-global proved
__global__ void use_more(const int *a, int *b) { b[a[0]] = 1; }

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[1]), m = atoi(argv[2]);
    if (n < 1 || n > 100 || m < 1 || m > 100) return 1;
    int *a, *b, *c;
    cudaMalloc(&a, sizeof(int));
    cudaMalloc(&b, 30 * sizeof(int));
    cudaMalloc(&c, 31 * sizeof(int));
    fill<<<1, 2>>>(a, (5 * n + 3 * m) % 31);
    use<<<1, 1>>>(a, b);
    use_more<<<1, 1>>>(a, c);
    return cudaDeviceSynchronize() != cudaSuccess;
}
