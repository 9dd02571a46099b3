//@ decided
// An index array that a kernel only reads is the same for the next one, also where it comes in a structure or through a call.
#include <cstdlib>
#include <cuda_runtime.h>

struct Graph { const int *target; int *out; int n; };

__device__ int neighbour(const int *target, int i) { return target[i]; }

__global__ void count(const int *target, int *out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = neighbour(target, i) + 1;
}

__global__ void follow(Graph g) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < g.n) g.out[g.target[i]] = i;
}

__global__ void gather(const int *target, int *out, const int *in, int n) {
    const int *row = target;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) out[i] = in[row[i]];
}

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 0;
    if (n < 1 || n > 100000) return 1;
    int *host = (int *)malloc(n * sizeof(int));
    for (int i = 0; i < n; i++) host[i] = n - 1 - i;
    int *target, *out, *in;
    cudaMalloc(&target, n * sizeof(int));
    cudaMalloc(&out, n * sizeof(int));
    cudaMalloc(&in, n * sizeof(int));
    cudaMemcpy(target, host, n * sizeof(int), cudaMemcpyHostToDevice);
    for (int round = 0; round < n; round++) count<<<(n + 127) / 128, 128>>>(target, out, n);
    Graph g = {target, out, n};
    follow<<<(n + 127) / 128, 128>>>(g);
    gather<<<32, 128>>>(target, out, in, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
