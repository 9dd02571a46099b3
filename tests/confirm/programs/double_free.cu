int main() {
    int *o;
    cudaMalloc(&o, 128);
    cudaFree(o);
    return cudaFree(o) != cudaSuccess;
}
