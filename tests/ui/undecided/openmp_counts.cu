// Each thread of a parallel region counts one: how many there are is not known.
//@ flags: -Xcompiler -fopenmp
//@ undecided: 1
__global__ void put(int *a, int i) { a[i] = 1; }

int main() {
    int *a, count = 0;
    cudaMalloc(&a, 2 * sizeof(int));
#pragma omp parallel
    {
#pragma omp atomic
        count++;
    }
    put<<<1, 1>>>(a, count);
    cudaDeviceSynchronize();
}
