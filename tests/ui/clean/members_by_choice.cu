//@ decided
// Which of several members is read or written is a choice of the program: they need not be alike.
#include <cstdlib>

struct Buffers { int *small; int n; int *large; char tag; };

__global__ void fill(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = 1; }
__global__ void choose(const Buffers *b, bool large) {
    int *const *p = large ? &b->large : &b->small;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < (large ? 64 : 32)) (*p)[i] = 2;
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
    // What one way leaves the other does not have.
    int *other;
    cudaMalloc(&other, 48 * sizeof(int));
    int **p = which == 1 ? &b.large : &b.small;
    *p = other;
    fill<<<1, 64>>>(b.small, 32);
    fill<<<1, 64>>>(b.large, 48);
    if (which == 1) fill<<<1, 64>>>(*p, 48);
    else fill<<<1, 64>>>(b.large, 64);
}
