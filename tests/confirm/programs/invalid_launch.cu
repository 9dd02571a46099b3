__global__ void s(int *o) { o[threadIdx.x] = 1; }
int main() {
    s<<<1, 2048>>>(nullptr);
    return cudaDeviceSynchronize() != cudaSuccess;
}
