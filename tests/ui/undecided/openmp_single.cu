// Memory that one thread of a team makes and frees for all of them.
//@ flags: -Xcompiler -fopenmp
//@ undecided: 1
#include <cstdlib>

__global__ void fill(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 1 || n > 1000000) return 1;
    int *a = nullptr;
    int size = 0;
#pragma omp parallel
    {
#pragma omp single
        {
            cudaMalloc(&a, n * sizeof(int));
            size = n;
        }
        fill<<<n / 256 + 1, 256>>>(a, size);
#pragma omp barrier
#pragma omp master
        cudaFree(a);
#pragma omp barrier
        // Freed by another thread.
        fill<<<n / 256 + 1, 256>>>(a, size);
    }
    cudaDeviceSynchronize();
}
