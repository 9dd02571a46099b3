// The worked example of docs/how-it-works.md. Two of the three accesses are safe; `a[i + 1]` reads past the end of `a`.
#include <cstdlib>

__global__ void add_neighbours(const float *a, float *b, int n) {
    int stride = gridDim.x * blockDim.x;
    for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += stride) {
        b[i] = a[i] + a[i + 1];
    }
}

int main(int argc, char **argv) {
    if (argc < 2) {
        return 1;
    }
    int n = atoi(argv[1]);
    if (n < 1 || n > 1000000) {
        return 1;
    }
    float *a, *b;
    cudaMalloc(&a, n * sizeof(float));
    cudaMalloc(&b, n * sizeof(float));
    add_neighbours<<<8, 256>>>(a, b, n);
    cudaFree(a);
    cudaFree(b);
    return 0;
}
