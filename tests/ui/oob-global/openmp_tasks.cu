// Tasks that launch too much, and sizes that a task or one thread of a team leaves to the others.
//@ flags: -Xcompiler -fopenmp
#include <cstdlib>

__global__ void in_task(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;  //~ oob-global proved
}

__global__ void behind_task(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;  //~ oob-global proved
}

__global__ void behind_single(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;  //~ oob-global proved
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 1 || n > 1000000) return 1;
    int blocks = n / 256 + 1, size = n;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
#pragma omp parallel
#pragma omp single
    {
#pragma omp task
        in_task<<<blocks, 256>>>(a, n + 1);
#pragma omp task shared(size)
        size = n + 1;
#pragma omp taskwait
        behind_task<<<blocks, 256>>>(a, size);
        size = n;
    }
#pragma omp parallel
    {
        // Behind it is a barrier.
#pragma omp single
        size = n + 1;
        behind_single<<<blocks, 256>>>(a, size);
    }
    cudaDeviceSynchronize();
}
