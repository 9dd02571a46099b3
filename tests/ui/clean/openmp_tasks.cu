// What one thread of a team does (single, master), barriers, and tasks that launch.
//@ flags: -Xcompiler -fopenmp
//@ decided
#include <cstdlib>

__global__ void fill(int *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = i;
}

int main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 1 || n > 1000000) return 1;
    int blocks = (n + 255) / 256;
    int *part[4];
    for (int i = 0; i < 4; i++) cudaMalloc(&part[i], n * sizeof(int));
#pragma omp parallel
    {
#pragma omp single
        fill<<<blocks, 256>>>(part[0], n);
#pragma omp barrier
#pragma omp master
        fill<<<blocks, 256>>>(part[1], n);
    }
#pragma omp parallel
#pragma omp single
    {
        for (int i = 0; i < 4; i++) {
#pragma omp task firstprivate(i)
            fill<<<blocks, 256>>>(part[i], n);
        }
#pragma omp taskwait
#pragma omp task depend(out : part[0])
        fill<<<blocks, 256>>>(part[0], n);
#pragma omp task depend(in : part[0])
        fill<<<blocks, 256>>>(part[0], n - 1);
#pragma omp taskgroup
        {
#pragma omp task
            fill<<<blocks, 256>>>(part[2], n);
        }
    }
    cudaDeviceSynchronize();
    for (int i = 0; i < 4; i++) cudaFree(part[i]);
}
