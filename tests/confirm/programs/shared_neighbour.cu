__global__ void s(int *o) {
    __shared__ int a[16];
    __shared__ int b[16];
    b[threadIdx.x] = 1;
    a[threadIdx.x + 1] = threadIdx.x;
    __syncthreads();
    o[threadIdx.x] = b[15 - threadIdx.x] + a[threadIdx.x];
}
int main() {
    int *o;
    cudaMalloc(&o, 64);
    s<<<1, 16>>>(o);
    return cudaDeviceSynchronize() != cudaSuccess;
}
