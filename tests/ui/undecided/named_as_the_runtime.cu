// A function of another unit may begin as those of CUDA's runtime or driver do: what it gives is no error code.
//@ undecided: 4
#include <cstdlib>

extern "C" int cudaPick(int n);
extern "C" int cudaFill(int *from, int n);
// It may call what this unit exports.
extern "C" void cudaPrepare();
extern "C" void cuPrepare();

static int chosen = 0, kept = 0;
void choose(int i) { chosen = i; }
void keep(int i) { kept = i; }

__global__ void picked(int *a, int i) { a[i] = 1; }
__global__ void filled(int *a, int i) { a[i] = 1; }

__global__ void by_the_driver(int *a, int i) { a[i] = 1; }
__global__ void prepared(int *a, int i) { a[i] = 1; }

int main(int argc, char **argv) {
    int n = argc > 1 ? atoi(argv[1]) : 1, i = 0;
    if (n < 1 || n > 1000) return 1;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    cuPrepare();
    by_the_driver<<<1, 1>>>(a, kept);
    picked<<<1, 1>>>(a, cudaPick(n));
    cudaFill(&i, n);
    filled<<<1, 1>>>(a, i);
    cudaPrepare();
    prepared<<<1, 1>>>(a, chosen);
    return cudaDeviceSynchronize();
}
