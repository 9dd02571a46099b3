__global__ void s(int *o) { o[threadIdx.x] = 1; }
int main() {
    int *o;
    cudaMalloc(&o, 128);
    cudaFree(o);
    s<<<1, 32>>>(o);
    return cudaDeviceSynchronize() != cudaSuccess;
}
