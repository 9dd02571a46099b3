// As clean/behind_a_barrier.cu, but the number that the first thread leaves is one too large.
#include <cstdlib>

__global__ void broadcast(float* x, int n) {
    __shared__ int m;
    if (threadIdx.x == 0 && threadIdx.y == 0) m = n + 1;
    __syncthreads();
    int i = (blockIdx.x * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    if (i < m) x[i] = 0; //~ oob-global proved
}

__global__ void first_of_rows(float* x, int n) {
    __shared__ int first[64], size;
    if (threadIdx.x == 0) size = n + 1;
    if (threadIdx.x < 64) first[threadIdx.x] = threadIdx.x < n ? threadIdx.x : n - 1;
    __syncthreads();
    for (int k = 0; k < 64; k++) x[first[k]] += 1;
    int row = first[threadIdx.x / 4];
    if (row + 1 < size) x[row + 1] = 1; //~ oob-global proved
}

__global__ void in_a_branch(float* x, int n, int few) {
    __shared__ int m;
    if (threadIdx.x == 0) m = n + 1;
    if (n > few) {
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < m) x[i] = 0; //~ oob-global proved
    }
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    if (n < 1 || n > 1 << 24) return 1;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    broadcast<<<(n + 255) / 256, dim3(32, 8)>>>(x, n);
    first_of_rows<<<1, 256>>>(x, n);
    in_a_branch<<<(n + 255) / 256, 256>>>(x, n, argc);
    return cudaDeviceSynchronize();
}
