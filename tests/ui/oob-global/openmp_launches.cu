// Regions of OpenMP that launch with a wrong size or place.
//@ flags: -Xcompiler -fopenmp
__global__ void last(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void dynamic(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void each(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

int main() {
    int *a;
    cudaMalloc(&a, 8 * 64 * sizeof(int));
#pragma omp parallel for
    for (int i = 0; i < 8; i++) last<<<1, 128>>>(a + 64 * i + 1, 64);
#pragma omp parallel
    each<<<1, 1024>>>(a, 513);
#pragma omp parallel for schedule(dynamic)
    for (int i = 0; i <= 8; i++) dynamic<<<1, 128>>>(a + 64 * i, 64);
    return cudaDeviceSynchronize();
}
