__global__ void fill(float *a, int m) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < m) a[i] = 0; //~ oob-global proved
}

extern "C" void fill_(const int *n, const int *m) {
    float *a;
    cudaMalloc(&a, *n * sizeof(float));
    fill<<<(*m + 127) / 128, 128>>>(a, *m);
    cudaFree(a);
}
