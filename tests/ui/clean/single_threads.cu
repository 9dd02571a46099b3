//@ decided
// What a launch of one thread leaves in the device's memory is known: an object that it sets up, pointers that it exchanges, sizes
// that it counts; and what it reads back itself.
#include <cstdlib>

struct Pair { int *a; int na; int *b; int nb; };

__device__ int count;
__device__ Pair *shared_pair;

__global__ void set_up(Pair *p, int *a, int n, int *b, int m) { p->a = a; p->na = n; p->b = b; p->nb = m; shared_pair = p; }
__device__ void swap(Pair *p) {
    int *t = p->a;
    p->a = p->b;
    p->b = t;
    int n = p->na;
    p->na = p->nb;
    p->nb = n;
}
__global__ void exchange(Pair *p) { swap(p); }
__global__ void exchange_if(Pair *p, int n) { if (n & 1) swap(p); }
__global__ void both(Pair *p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p->na) p->a[i] = 1;
    if (i < p->nb) p->b[i] = 1;
}
__global__ void named() { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < shared_pair->nb) shared_pair->b[i] = 1; }
__global__ void exchange_pointers(Pair *p) { int *t = p->a; p->a = p->b; p->b = t; }
__global__ void twice(int n) { count = n; atomicAdd(&count, n); }
__global__ void fill(int *x) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < count) x[i] = 1; }
__global__ void at_once(Pair *p, int k) { swap(p); if (k < p->na) p->a[k] = 1; memset(p->b, 0, sizeof(int)); }
// It looks at the memory that it set, as far as that is known.
__global__ void counts(int *total, int n) { *total = 0; for (int i = 0; i < n; i++) *total += 2; }

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[1]), m = atoi(argv[2]);
    if (n < 8 || n > 4096 || m < 8 || m > 4096) return 1;
    int *a, *b, *x, *y;
    Pair *p;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, m * sizeof(int));
    cudaMalloc(&p, sizeof(Pair));
    set_up<<<1, 1>>>(p, a, n, b, m);
    named<<<16, 256>>>();
    set_up<<<1, 1>>>(p, a, n, b, m);
    both<<<16, 256>>>(p);
    exchange<<<1, 1>>>(p);
    both<<<16, 256>>>(p);
    exchange_if<<<1, 1>>>(p, n);
    both<<<16, 256>>>(p);
    at_once<<<1, 1>>>(p, 7);
    cudaMalloc(&x, n * sizeof(int));
    set_up<<<1, 1>>>(p, x, n, a, n);
    for (int i = 0; i < m; i++) exchange_pointers<<<1, 1>>>(p);
    both<<<16, 256>>>(p);
    twice<<<1, 1>>>(n);
    cudaMalloc(&x, 2 * n * sizeof(int));
    fill<<<32, 256>>>(x);
    int k;
    cudaMemcpyFromSymbol(&k, count, sizeof k);
    cudaMalloc(&y, k * sizeof(int));
    fill<<<32, 256>>>(y);
    counts<<<1, 1>>>(a, n);
}
