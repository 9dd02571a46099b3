// One text, read in two bases: two numbers.
#include <cstdlib>

__global__ void last(int *a, long n) { a[n - 1] = 0; } //~ oob-global proved

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    long n = strtol(argv[1], nullptr, 10), m = strtol(argv[1], nullptr, 16);
    if (n < 1 || n > 1000 || m < 1) return 1;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    last<<<1, 1>>>(a, m);
    return cudaDeviceSynchronize() != cudaSuccess;
}
