// A private variable of a parallel region is another one than outside, and which round of a parallel loop stores last is not known.
//@ flags: -Xcompiler -fopenmp
//@ undecided: 1
#include <cstdlib>

static int last;

__global__ void put(int *a, int i) { a[i] = 1; } //~ oob-global proved

__global__ void put_last(int *a, int i) { a[i] = 1; }

int main(int argc, char **argv) {
    int *a, i = 5;
    cudaMalloc(&a, 3 * sizeof(int));
#pragma omp parallel private(i)
    {
        i = 0;
        if (argc > 100) abort();
    }
    put<<<1, 1>>>(a, i);
#pragma omp parallel for
    for (int k = 10; k >= 0; k--) last = k;
    put_last<<<1, 1>>>(a, last);
    cudaDeviceSynchronize();
}
