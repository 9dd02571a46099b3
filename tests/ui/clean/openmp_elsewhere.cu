// A parallel region fills memory of the host; sizes and indices are none of its business.
//@ flags: -Xcompiler -fopenmp
//@ decided
#include <cstdlib>

__global__ void put(float *a, const float *from, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = from[i];
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 1 || n > 1000000) return 1;
    float *h = (float *)malloc(n * sizeof(float)), *a, *b, sum = 0;
#pragma omp parallel for reduction(+ : sum)
    for (int i = 0; i < n; i++) {
        h[i] = i;
        sum += i;
    }
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    cudaMemcpy(b, h, n * sizeof(float), cudaMemcpyHostToDevice);
    put<<<(n + 255) / 256, 256>>>(a, b, n);
    cudaDeviceSynchronize();
    free(h);
}
