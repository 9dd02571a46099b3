__global__ void s(int *o) { o[threadIdx.x] = 1; }
int main() {
    s<<<1, 32>>>(nullptr);
    return cudaDeviceSynchronize() != cudaSuccess;
}
