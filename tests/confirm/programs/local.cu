__global__ void s(int *o, int n) {
    int bins[8];
    for (int i = 0; i < n; ++i) bins[(i * 7) % n] = i;
    int t = 0;
    for (int i = 0; i < n; ++i) t += bins[i];
    o[threadIdx.x] = t;
}
int main() {
    int *o;
    cudaMalloc(&o, 128);
    s<<<1, 32>>>(o, 100000);
    return cudaDeviceSynchronize() != cudaSuccess;
}
