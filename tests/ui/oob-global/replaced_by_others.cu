//@ decided
// What was there at the launch is read still: before the thread replaces it, where another place was replaced, or only on another way.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void before(int *index, int *out, int n) {
    int i = threadIdx.x;
    if (i >= n) return;
    out[index[i]] = 1; //~ oob-global proved
    index[i] = 0;
}
__global__ void another(int *index, int *out, int n) {
    int i = threadIdx.x;
    if (i >= n / 2) return;
    index[i] = 0;
    out[index[i + 1]] = 1; //~ oob-global proved
}
__global__ void on_another_way(int *index, int *out, int n, int way) {
    int i = threadIdx.x;
    if (i >= n) return;
    if (way > 3) index[i] = 0;
    out[index[i]] = 1; //~ oob-global proved
}
__global__ void left_before(int *index, int *out, const int *stop, int n, int way) {
    int i = threadIdx.x;
    if (i >= n) return;
    if (way >= 0) {
        for (int j = 0; j < n; j++) if (stop[j] == 7) goto skip;
        index[i] = 0;
    }
skip:
    if (way >= 0) out[index[i]] = 1; //~ oob-global proved
}

static int *thousands(int n, int first = 1000) {
    int *host = (int *)malloc(n * sizeof(int)), *a;
    for (int i = 0; i < n; i++) host[i] = first + i;
    cudaMalloc(&a, n * sizeof(int));
    cudaMemcpy(a, host, n * sizeof(int), cudaMemcpyHostToDevice);
    return a;
}

int main(int argc, char **argv) {
    int n = 4, *out, way = argc > 1 ? atoi(argv[1]) : 0;
    cudaMalloc(&out, n * sizeof(int));
    before<<<1, 1>>>(thousands(n), out, n);
    another<<<1, 1>>>(thousands(n), out, n);
    on_another_way<<<1, 1>>>(thousands(n), out, n, way);
    left_before<<<1, 1>>>(thousands(n), out, thousands(n, 5), n, way);
    return cudaDeviceSynchronize() != cudaSuccess;
}
