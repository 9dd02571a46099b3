__global__ void s(int *o) {
    extern __shared__ int tile[];
    tile[threadIdx.x] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = tile[blockDim.x - 1 - threadIdx.x];
}
int main() {
    int *o;
    cudaMalloc(&o, 256);
    s<<<1, 64, 63 * 4>>>(o);
    return cudaDeviceSynchronize() != cudaSuccess;
}
