__device__ float table[4];
__global__ void s(int n) { table[threadIdx.x * n] = 1; }
int main() {
    s<<<1, 8>>>(1);
    return cudaDeviceSynchronize() != cudaSuccess;
}
