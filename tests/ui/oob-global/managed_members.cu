// Managed variables of all kinds, static, arrays, members and pointers: what one side writes the other reads.
//@ undecided: 1
#include <cstdlib>

struct Pair {
    int first, second;
};

static __managed__ int starts[4];
__managed__ Pair pair = {1, 2};
__managed__ int *buffer;

__global__ void set(int n) {
    starts[threadIdx.x] = n + threadIdx.x;
    pair.second = n;
}

__global__ void at(int *a, int i) { a[i] = 1; } //~ oob-global proved

__global__ void through() { buffer[threadIdx.x] = 1; }

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 0) return 1;
    int *a;
    cudaMalloc(&a, 3 * sizeof(int));
    set<<<1, 4>>>(n);
    cudaDeviceSynchronize();
    at<<<1, 1>>>(a, starts[2]);
    at<<<1, 1>>>(a, pair.second);
    buffer = a;
    through<<<1, 4>>>();
    cudaDeviceSynchronize();
}
