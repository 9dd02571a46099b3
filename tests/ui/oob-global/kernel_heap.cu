//@ undecided: 2
// What a kernel writes through an address that it kept in memory of its own is not what the host put there.
#include <cuda_runtime.h>

__device__ int **kept(int *a) {
    int **t = (int **)malloc(sizeof(int *));
    t[0] = a;
    return t;
}

__global__ void set(int *a) {
    int **t = (int **)malloc(sizeof(int *));
    t[0] = a;
    t[0][0] = 1000;
}
__global__ void set_by_call(int *a) { kept(a)[0][0] = 1000; }
__global__ void use(int *a, int *b) { b[a[0]] = 1; } //~ oob-global proved

int main() {
    int *a, *b, *c;
    cudaMalloc(&a, sizeof(int));
    cudaMalloc(&b, sizeof(int));
    cudaMalloc(&c, sizeof(int));
    cudaMemset(a, 0, sizeof(int));
    cudaMemset(c, 0, sizeof(int));
    set<<<1, 1>>>(a);
    use<<<1, 1>>>(a, b);
    set_by_call<<<1, 1>>>(c);
    use<<<1, 1>>>(c, b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
