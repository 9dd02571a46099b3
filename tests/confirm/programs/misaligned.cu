__global__ void s(char *o) { *(double *)(o + threadIdx.x) = 1; }
int main() {
    char *o;
    cudaMalloc(&o, 1024);
    s<<<1, 4>>>(o);
    return cudaDeviceSynchronize() != cudaSuccess;
}
