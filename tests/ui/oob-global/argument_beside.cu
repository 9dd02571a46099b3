// The program does not count its arguments: without the second one it ends before the launch, though the access does not depend on it.
#include <cstdlib>

__global__ void fill(int *a, int n, int by) { if (threadIdx.x <= n) a[threadIdx.x] = by; } //~ oob-global proved

int main(int, char **argv) {
    int n = atoi(argv[1]), by = atoi(argv[2]);
    if (n < 1 || n > 64) return 1;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    fill<<<1, 128>>>(a, n, by);
    return 0;
}
