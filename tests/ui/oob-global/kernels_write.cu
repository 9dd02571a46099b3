//@ decided
// What a kernel may have written is not what the host put there: through a helper, a pointer kept in a variable, a copy of a structure.
#include <cstdlib>
#include <cuda_runtime.h>

struct Pair { int *first, *second; };

__device__ void put(int *where, int what) { *where = what; }
__device__ int *later(Pair *p) { return p->second; }

__global__ void by_call(int *index, int n) { put(index + threadIdx.x, n); }

__global__ void by_member(const int *other, int *index, int n) {
    Pair p;
    p.first = index;
    Pair q = p;
    q.second = q.first;
    later(&q)[threadIdx.x] = n;
}

__global__ void by_choice(int *a, int *index, int n) {
    int *p[2] = {a, index};
    p[n & 1][threadIdx.x] = n;
}

__global__ void one(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void two(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void three(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    int *a, *b, *c, *out;
    cudaMalloc(&a, 32 * sizeof(int));
    cudaMalloc(&b, 32 * sizeof(int));
    cudaMalloc(&c, 32 * sizeof(int));
    cudaMalloc(&out, 32 * sizeof(int));
    cudaMemset(a, 0, 32 * sizeof(int));
    cudaMemset(b, 0, 32 * sizeof(int));
    cudaMemset(c, 0, 32 * sizeof(int));
    by_call<<<1, 32>>>(a, n);
    by_member<<<1, 32>>>(out, b, n);
    by_choice<<<1, 32>>>(out, c, n);
    one<<<1, 32>>>(a, out);
    two<<<1, 32>>>(b, out);
    three<<<1, 32>>>(c, out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
