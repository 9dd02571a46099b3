// Special registers that inline assembly reads: lanes and sizes are numbers of the thread, as by the built-in variables.
//@ decided
__device__ unsigned lane() {
    unsigned r;
    asm volatile("mov.u32 %0, %%laneid;" : "=r"(r));
    return r;
}

__device__ unsigned size() {
    unsigned r;
    asm("{ mov.b32 %0, %%ntid.x; }" : "=r"(r));
    return r;
}

__device__ unsigned width() {
    unsigned r;
    asm("mov.u32 %0, WARP_SZ;" : "=r"(r));
    return r;
}

__global__ void k(int* out) {
    __shared__ int lanes[32], threads[96];
    lanes[lane()] = 1;
    threads[size() - 1 - threadIdx.x] = 2;
    threads[width() * (threadIdx.x / width()) + lane()] = 3;
    __syncthreads();
    out[threadIdx.x] = lanes[threadIdx.x % 32] + threads[threadIdx.x];
}

int main() {
    int* out;
    cudaMalloc(&out, 96 * sizeof(int));
    k<<<1, 96>>>(out);
    return cudaDeviceSynchronize();
}
