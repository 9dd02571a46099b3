//@ undecided: 2
// What a kernel writes through an address that it kept as a number is not what the host put there.
#include <cstring>
#include <cuda_runtime.h>

struct Box { int *p; };

__device__ void put(int *where) { *where = 1000; }

__global__ void set(Box *boxes, int n) {
    unsigned long long kept[2] = {0, 0};
    kept[n & 1] = *(unsigned long long *)boxes;
    int *p;
    memcpy(&p, &kept[n & 1], sizeof p);
    *p = 1000;
}
__global__ void set_by_call(Box *boxes, int n) {
    unsigned long long kept[2] = {0, 0};
    kept[n & 1] = *(unsigned long long *)boxes;
    int *p;
    memcpy(&p, &kept[n & 1], sizeof p);
    put(p);
}
__global__ void use(int *a, int *b) { b[a[0]] = 1; } //~ oob-global proved

int main(int argc, char **) {
    int *a, *b;
    Box *boxes;
    cudaMalloc(&a, sizeof(int));
    cudaMalloc(&b, sizeof(int));
    cudaMalloc(&boxes, sizeof(Box));
    cudaMemset(a, 0, sizeof(int));
    Box box = {a};
    cudaMemcpy(boxes, &box, sizeof box, cudaMemcpyHostToDevice);
    if (argc > 1) set<<<1, 1>>>(boxes, argc); else set_by_call<<<1, 1>>>(boxes, argc);
    use<<<1, 1>>>(a, b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
