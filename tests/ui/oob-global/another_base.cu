// One text, read in two bases: two numbers.
#include <cstdlib>
#include <string>

__global__ void last(int *a, long n) { a[n - 1] = 0; } //~ oob-global proved

__global__ void first_and_last(int *b, int n) {
    b[0] = 0;
    b[n - 1] = 0; //~ oob-global proved
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    long n = strtol(argv[1], nullptr, 10), m = strtol(argv[1], nullptr, 16);
    if (n < 1 || n > 1000 || m < 1) return 1;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    last<<<1, 1>>>(a, m);
    int decimal = std::stoi(argv[1]), hexadecimal = std::stoi(argv[1], nullptr, 16);
    if (decimal < 1 || decimal > 1000 || hexadecimal < 1) return 1;
    int *b;
    cudaMalloc(&b, decimal * sizeof(int));
    first_and_last<<<1, 1>>>(b, hexadecimal);
    return cudaDeviceSynchronize() != cudaSuccess;
}
