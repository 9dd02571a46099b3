int main() {
    static char h[4096];
    int *o;
    cudaMalloc(&o, 128);
    return cudaMemcpy(o, h, 4096, cudaMemcpyHostToDevice) != cudaSuccess;
}
