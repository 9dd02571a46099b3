// As clean/special_registers.cu, but an array has an element less than the warp has lanes.
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
    __shared__ int lanes[31], threads[96];
    lanes[lane()] = 1; //~ oob-shared proved
    threads[size() - 1 - threadIdx.x] = 2;
    threads[width() * (threadIdx.x / width()) + lane()] = 3;
    __syncthreads();
    out[threadIdx.x] = lanes[threadIdx.x % 31] + threads[threadIdx.x];
}

int main() {
    int* out;
    cudaMalloc(&out, 96 * sizeof(int));
    k<<<1, 96>>>(out);
    return cudaDeviceSynchronize();
}
