// Both halves of a check, and sizes below 1 that lead nowhere.
//@ decided
#include <cstdlib>

__global__ void half(int *p, int a) { p[a] = 1; }
__global__ void below(int *p, int n, int a) { if (a >= 0 && a < n) p[a] = 1; }
__global__ void start(int *p, int n, int a) { for (int i = a < 0 ? 0 : a; i < n; i++) p[i] = 1; }
__global__ void last(int *p, int n) { if (n > 0) p[n - 1] = 1; }

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int a = atoi(argv[1]), n = atoi(argv[2]);
    int *p, *q;
    cudaMalloc(&p, 16 * sizeof(int));
    cudaMalloc(&q, n * sizeof(int));
    if ((unsigned)a < 16) half<<<1, 1>>>(p, a);
    below<<<1, 1>>>(q, n, a);
    start<<<1, 1>>>(q, n, a);
    last<<<1, 1>>>(q, n);
    return cudaDeviceSynchronize();
}
