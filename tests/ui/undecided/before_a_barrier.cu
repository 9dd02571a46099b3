// As clean/behind_a_barrier.cu, but the number in shared memory may never have been written when it is read: the barrier comes too
// early, is not passed by all threads, the thread that writes may not exist, the loop that writes may have no iteration, or it writes elsewhere.
//@ undecided: 10
#include <cstdlib>

__global__ void no_barrier(float* x, int n) {
    __shared__ int m;
    if (threadIdx.x == 0) m = n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) x[i] = 0;
}

__global__ void too_early(float* x, int n) {
    __shared__ int m;
    __syncthreads();
    if (threadIdx.x == 0) m = n;
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) x[i] = 0;
}

__global__ void on_a_condition(float* x, int n, int few) {
    __shared__ int m;
    if (threadIdx.x == 0) m = n;
    if (n > few) __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) x[i] = 0;
}

__global__ void by_the_second(float* x, int n) {
    __shared__ int m;
    if (threadIdx.x == 1) m = n;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) x[i] = 0;
}

__global__ void in_a_loop(float* x, int n, int few) {
    __shared__ int m;
    for (int k = 0; k < few; k += 1 + k) {
        if (threadIdx.x == 0) m = n;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) x[i] = 0;
}

__global__ void behind_the_read(float* x, int n) {
    __shared__ int m;
    if (threadIdx.x == 0) m = n;
    int read = m;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < read) x[i] = 0;
}

__global__ void of_some_threads(float* x, int n) {
    __shared__ int m;
    if (threadIdx.x < 32) {
        if (threadIdx.x == 0) m = n;
        __syncthreads();
    }
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) x[i] = 0;
}

__global__ void of_the_others(float* x, int n) {
    __shared__ int m;
    if (threadIdx.x == 0) m = n;
    if (threadIdx.x > 0) {
        __syncthreads();
        int i = blockIdx.x * blockDim.x + threadIdx.x;
        if (i < m) x[i] = 0;
    }
}

__global__ void elsewhere(float* x, int n) {
    __shared__ int m[2];
    if (threadIdx.x == 0) m[1] = n;
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m[0]) x[i] = 0;
}

__global__ void in_a_loop_of_any_length(float* x, int n, int few) {
    __shared__ int m;
    for (int k = few; k != 1; k = k % 2 ? 3 * k + 1 : k / 2) {
        if (threadIdx.x == 0) m = n;
    }
    __syncthreads();
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) x[i] = 0;
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1000;
    int few = argc > 2 ? atoi(argv[2]) : 1;
    int threads = argc > 3 ? atoi(argv[3]) : 32;
    if (n < 1 || n > 1 << 24 || threads < 1 || threads > 1024) return 1;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    int blocks = (n + threads - 1) / threads;
    no_barrier<<<blocks, threads>>>(x, n);
    too_early<<<blocks, threads>>>(x, n);
    on_a_condition<<<blocks, threads>>>(x, n, few);
    by_the_second<<<blocks, threads>>>(x, n);
    in_a_loop<<<blocks, threads>>>(x, n, few);
    behind_the_read<<<blocks, threads>>>(x, n);
    of_some_threads<<<blocks, threads>>>(x, n);
    of_the_others<<<blocks, threads>>>(x, n);
    elsewhere<<<blocks, threads>>>(x, n);
    in_a_loop_of_any_length<<<blocks, threads>>>(x, n, few);
    return cudaDeviceSynchronize();
}
