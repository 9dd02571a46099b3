// 0 - 1 in 128 bits without sign is 2^128 - 1, on the host as in a kernel.
#include <cstdlib>

__global__ void put(int *a, unsigned n) {
    unsigned __int128 x = n;
    x -= 1;
    if (x > 100) a[20] = 1; //~ oob-global proved
}

__global__ void at(int *a, int i) { a[i] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 0 || n > 50) return 1;
    int *a;
    cudaMalloc(&a, 10 * sizeof(int));
    put<<<1, 1>>>(a, n);
    unsigned __int128 x = (unsigned)n;
    x -= 1;
    at<<<1, 1>>>(a, x > 100 ? 10 : 3);
    cudaDeviceSynchronize();
}
