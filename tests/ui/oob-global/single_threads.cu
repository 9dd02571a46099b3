//@ decided
// The same where it goes wrong: what one thread left in the device's memory leads out of bounds.
#include <cstdlib>

struct Pair { int *a; int na; int *b; int nb; };

__device__ int count;

__global__ void set_up(Pair *p, int *a, int n, int *b, int m) { p->a = a; p->na = n; p->b = b; p->nb = m; }
// The numbers stay where they were.
__global__ void exchange(Pair *p) { int *t = p->a; p->a = p->b; p->b = t; }
__global__ void first(Pair *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p->na) p->a[i] = 1; //~ oob-global proved
}
__global__ void second(Pair *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p->nb) p->b[i] = 1; //~ oob-global proved
}
__global__ void itself(Pair *p, int *a) {
    p->a = a;
    p->na = 8;
    p->a[p->na] = 1; //~ oob-global proved
}
__global__ void twice(int n) { count = n; atomicAdd(&count, n); }
__global__ void fill(int *x) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= count) x[i] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[1]), m = atoi(argv[2]);
    if (n < 8 || n > 4096 || m < 8 || m > 4096) return 1;
    int *a, *b, *x;
    Pair *p;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, m * sizeof(int));
    cudaMalloc(&p, sizeof(Pair));
    set_up<<<1, 1>>>(p, a, n, b, m);
    exchange<<<1, 1>>>(p);
    first<<<16, 256>>>(p);
    second<<<16, 256>>>(p);
    itself<<<1, 1>>>(p, a);
    twice<<<1, 1>>>(n);
    cudaMalloc(&x, 2 * n * sizeof(int));
    fill<<<33, 256>>>(x);
}
