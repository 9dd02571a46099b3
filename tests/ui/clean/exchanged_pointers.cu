//@ decided
// Pointers that threads exchange in the device's memory: whatever the order in which they do, each place holds one of those that were
// there or are stored there.
#include <cstdlib>

struct Pair { int *a; int n; int *b; Pair *self; int k; };

__device__ int *current;

__global__ void exchange(Pair *p) { int *t = p->a; p->a = p->b; p->b = t; }
__global__ void both(Pair *p) {
    int i = threadIdx.x;
    if (i < p->n) p->a[i] = 1;
    if (i < p->n) p->b[i] = p->n;
}
__global__ void one_of_them(Pair *p, int n) {
    p->k = n;
    int **q = &p->a;
    if (n & 1) q = &p->b;
    if (threadIdx.x < 8) (*q)[threadIdx.x] = 1;
    q = p->k > 3 ? &p->a : &p->b;
    if (threadIdx.x == 7) *q = p->b;
}
__global__ void choose(Pair *p, int k) { if (threadIdx.x == k) p->self->a = p->b; }
__global__ void step(Pair *p, int *from) { p->a = from + 1; }
__global__ void keep(int *a, int *b) { current = threadIdx.x & 1 ? a : b; }
__global__ void use_kept() { current[threadIdx.x] = 2; }
__global__ void in_one(Pair *p) {
    exchange_again:
    int *t = p->a;
    p->a = p->b;
    p->b = t;
    __syncthreads();
    p->a[threadIdx.x & 7] = 1;
    if (t[0] > 5) goto exchange_again;
}
__global__ void set(int **table, int *a, int *b) { table[threadIdx.x] = threadIdx.x % 3 ? a : b; }
__global__ void use(int **table, int n) { int i = threadIdx.x; if (i < n) for (int k = 0; k < 8; k++) table[i][k] = k; }

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[1]), m = atoi(argv[2]);
    if (n < 8 || n > 256 || m < n || m > 256) return 1;
    Pair h = {nullptr, n, nullptr, nullptr, 0}, *p;
    cudaMalloc(&h.a, n * sizeof(int));
    cudaMalloc(&h.b, m * sizeof(int));
    cudaMalloc(&p, sizeof(Pair));
    h.self = p;
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    exchange<<<1, 4>>>(p);
    both<<<1, 256>>>(p);
    for (int i = 0; i < m; i++) { exchange<<<1, 4>>>(p); both<<<1, 256>>>(p); }
    one_of_them<<<2, 32>>>(p, n);
    choose<<<2, 32>>>(p, n);
    both<<<1, 256>>>(p);
    in_one<<<1, 16>>>(p);
    // One place further, of one that is longer.
    int *longer;
    cudaMalloc(&longer, (n + 1) * sizeof(int));
    step<<<1, 2>>>(p, longer);
    both<<<1, 256>>>(p);
    cudaMemcpyToSymbol(current, &h.b, sizeof h.b);
    keep<<<1, 8>>>(h.a, h.b);
    use_kept<<<1, 8>>>();
    // An array of them.
    int **table, *first[4] = {h.a, h.b, h.a, h.b};
    cudaMalloc(&table, sizeof first);
    cudaMemcpy(table, first, sizeof first, cudaMemcpyHostToDevice);
    set<<<1, 4>>>(table, h.a, h.b);
    use<<<1, 4>>>(table, 4);
    return 0;
}
