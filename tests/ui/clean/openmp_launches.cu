// Regions of OpenMP that launch, for each thread of a team.
//@ flags: -Xcompiler -fopenmp
//@ decided
__global__ void fill(int *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1; }

int main() {
    int *a;
    cudaMalloc(&a, 8 * 64 * sizeof(int));
#pragma omp parallel for
    for (int i = 0; i < 8; i++) fill<<<1, 128>>>(a + 64 * i, 64);
#pragma omp parallel num_threads(2)
    {
        int *own;
        cudaMalloc(&own, 64 * sizeof(int));
        fill<<<1, 128>>>(own, 64);
        cudaDeviceSynchronize();
        cudaFree(own);
    }
    cudaDeviceSynchronize();
    cudaFree(a);
}
