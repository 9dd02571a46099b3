int main() {
    int *o;
    cudaMalloc(&o, 128);
    return cudaMemset(o, 0, 4096) != cudaSuccess;
}
