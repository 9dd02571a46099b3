//@ decided
// As in the program of that name that is clean, but out of bounds on one of the ways.
#include <cstdlib>

struct Buffers { int *small; int n; int *large; char tag; };

__global__ void fill(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1; //~ oob-global proved
}
__global__ void choose(const Buffers *b, bool large) {
    int *const *p = large ? &b->large : &b->small;
    (*p)[threadIdx.x] = 2; //~ oob-global proved
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int which = atoi(argv[1]), n = atoi(argv[2]);
    Buffers b = {nullptr, 32, nullptr, 'b'}, *d;
    cudaMalloc(&b.small, 32 * sizeof(int));
    cudaMalloc(&b.large, 64 * sizeof(int));
    cudaMalloc(&d, sizeof b);
    cudaMemcpy(d, &b, sizeof b, cudaMemcpyHostToDevice);
    choose<<<1, 64>>>(d, which == 1);
    int *other;
    cudaMalloc(&other, 48 * sizeof(int));
    int **p = which == 1 ? &b.large : &b.small;
    *p = other;
    fill<<<1, 64>>>(b.large, 64);
}
