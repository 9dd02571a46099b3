// An index below 0 is no empty size: what lacks the other half of a check is an error. What needs an empty size is not.
#include <cstdlib>

__global__ void half(int *p, int a) { p[a] = 1; } //~ oob-global proved
__global__ void below(int *p, int n, int a) { if (a < n) p[a] = 1; } //~ oob-global proved
__global__ void start(int *p, int n, int a) { for (int i = a; i < n; i++) p[i] = 1; } //~ oob-global proved
__global__ void first(int *p, int n, int zero) { if (zero == 0) p[zero] = n; } //~ oob-global proved
__global__ void last(int *p, int n) { p[n - 1] = 1; } //~ oob-global degenerate-proved
__global__ void ends(int *p, int n) { int e = 0; for (int i = 0; i < n; i++) e = i + 1; p[e - 1] = 1; } //~ oob-global degenerate-proved

int main(int argc, char **argv) {
    if (argc < 5) return 1;
    int a = atoi(argv[1]), n = atoi(argv[2]), count = atoi(argv[3]), zero = atoi(argv[4]);
    if (a >= 16) return 1;
    int *p, *q, *r;
    cudaMalloc(&p, 16 * sizeof(int));
    cudaMalloc(&q, n * sizeof(int));
    half<<<1, 1>>>(p, a);
    below<<<1, 1>>>(q, n, a);
    start<<<1, 1>>>(q, n, a);
    cudaMalloc(&r, 4);
    if (n > 4) first<<<1, 1>>>(r + 1, n, zero);
    last<<<1, 1>>>(q, n);
    if (count <= 16) ends<<<1, 1>>>(p, count);
    return cudaDeviceSynchronize();
}
