// Integers of 128 bits that stay far below 2^120: a product of two of 64 bits does not wrap in them, nor does a difference that is asked about.
//@ decided
#include <cstdlib>

__global__ void scaled(int *a, unsigned n, unsigned m) {
    unsigned __int128 p = (unsigned __int128)n * m;
    if (p < 10) a[(int)p] = 1;
}

__global__ void below(int *a, unsigned n) {
    unsigned __int128 x = n;
    if (x >= 1 && x <= 10) {
        x -= 1;
        a[(int)x] = 1;
    }
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int *a;
    cudaMalloc(&a, 10 * sizeof(int));
    scaled<<<1, 1>>>(a, atoi(argv[1]), atoi(argv[2]));
    below<<<1, 1>>>(a, atoi(argv[1]));
    cudaDeviceSynchronize();
}
