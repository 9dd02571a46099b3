// Functions of the program whose names begin as the runtime's do are read as any other; those of the runtime succeed, modelled or not.
//@ decided
#include <cstdlib>

extern "C" int cudaPick(int n) { return n - 1; }

__global__ void k(int *a, int i) { a[i] = 1; }

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1;
    if (n < 1 || n > 1000) return 1;
    int *a;
    if (cudaInitDevice(0, 0, 0) != cudaSuccess || cudaMalloc(&a, n * sizeof(int)) != cudaSuccess) return 1;
    k<<<1, 1>>>(a, cudaPick(n));
    return cudaDeviceSynchronize();
}
