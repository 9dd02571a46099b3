__global__ void s(int *o, int n) {
    __shared__ int tile[16];
    tile[threadIdx.x * n] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = tile[15 - threadIdx.x];
}
int main() {
    int *o;
    cudaMalloc(&o, 64);
    s<<<1, 16>>>(o, 4096);
    return cudaDeviceSynchronize() != cudaSuccess;
}
