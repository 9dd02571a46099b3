__constant__ float table[4] = {1, 2, 3, 4};
__global__ void s(float *o, int n) { o[threadIdx.x] = table[threadIdx.x * n]; }
int main() {
    float *o;
    cudaMalloc(&o, 128);
    s<<<1, 32>>>(o, 8192);
    return cudaDeviceSynchronize() != cudaSuccess;
}
