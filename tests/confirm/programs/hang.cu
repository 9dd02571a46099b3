__global__ void s(volatile int *o) { while (o[0] == 0) { } }
int main() {
    int *o;
    cudaMalloc(&o, 128);
    cudaMemset(o, 0, 128);
    s<<<1, 32>>>(o);
    return cudaDeviceSynchronize() != cudaSuccess;
}
