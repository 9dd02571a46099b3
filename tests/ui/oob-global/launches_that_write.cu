//@ decided
// What a launch writes is afterwards not what it was: by whichever of two names, in a member, by a copy, by an atomic operation, where
// addresses are compared, in a device variable, in memory of the host.
#include <cstdlib>
#include <cstring>
#include <cuda_runtime.h>

__device__ int where;

struct Both { const int *index; int *out; };

__global__ void by_other_name(const int *a, int *b) { b[threadIdx.x] = a[0] + 1000; }
__global__ void in_a_member(Both b) { b.out[threadIdx.x] = 1000; }
__global__ void by_copy(const int *from, int *to) { memcpy(to + threadIdx.x, from, sizeof(int)); }
__global__ void by_atomic(int *a) { atomicMax(&a[threadIdx.x], 1000); }
__global__ void if_same(const int *a, const int *b, int *c) { if (a == b) c[threadIdx.x] = 1000; }
__global__ void in_a_variable() { where = 1000; }
__global__ void through_pointers(int **p) { *p[threadIdx.x] = 1000; }
__global__ void on_the_host(int *h) { h[0] = 1000; }

__global__ void one(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void two(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void three(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void four(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void five(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void six(int *out) { out[where] = 1; } //~ oob-global proved
__global__ void seven(const int *index, int *out) { out[index[threadIdx.x]] = 1; } //~ oob-global proved
__global__ void eight(int *out, int i) { out[i] = 1; } //~ oob-global proved

static int *zeros() {
    int *a;
    cudaMalloc(&a, 32 * sizeof(int));
    cudaMemset(a, 0, 32 * sizeof(int));
    return a;
}

int main() {
    int *a = zeros(), *b = zeros(), *c = zeros(), *d = zeros(), *e = zeros(), *f = zeros(), *big, zero = 0;
    cudaMalloc(&big, sizeof(int));
    int thousand = 1000;
    cudaMemcpy(big, &thousand, sizeof thousand, cudaMemcpyHostToDevice);
    cudaMemcpyToSymbol(where, &zero, sizeof zero);
    by_other_name<<<1, 32>>>(a, a);
    in_a_member<<<1, 32>>>(Both{a, b});
    by_copy<<<1, 32>>>(big, c);
    by_atomic<<<1, 32>>>(d);
    if_same<<<1, 32>>>(a, a, e);
    in_a_variable<<<1, 1>>>();
    int **pointers;
    cudaMalloc(&pointers, sizeof(int *));
    cudaMemcpy(pointers, &f, sizeof f, cudaMemcpyHostToDevice);
    through_pointers<<<1, 1>>>(pointers);
    int *host = (int *)malloc(sizeof(int)), *mapped;
    host[0] = 0;
    cudaHostRegister(host, sizeof(int), cudaHostRegisterMapped);
    cudaHostGetDevicePointer(&mapped, host, 0);
    on_the_host<<<1, 1>>>(mapped);
    cudaDeviceSynchronize();
    one<<<1, 32>>>(a, b);
    two<<<1, 32>>>(b, a);
    three<<<1, 32>>>(c, a);
    four<<<1, 32>>>(d, a);
    five<<<1, 32>>>(e, a);
    six<<<1, 1>>>(a);
    seven<<<1, 32>>>(f, a);
    eight<<<1, 1>>>(a, host[0]);
    return cudaDeviceSynchronize() != cudaSuccess;
}
