__global__ void s(int *a, int *b) {
    a[threadIdx.x] = 1;
    b[threadIdx.x] = a[threadIdx.x + 4];
}
int main() {
    int *a, *b;
    cudaMalloc(&a, 64);
    cudaMalloc(&b, 64);
    s<<<2, 32>>>(a, b);
    return cudaDeviceSynchronize() != cudaSuccess;
}
