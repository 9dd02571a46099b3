// As tests/ui/clean/exchanged_pointers.cu, but what one of the pointers leads to is too short for what is done with either.
#include <cstdlib>

struct Pair { int *a; int n; int *b; };

__global__ void exchange(Pair *p) { int *t = p->a; p->a = p->b; p->b = t; }
__global__ void fill(Pair *p) { int i = threadIdx.x; if (i < p->n) p->a[i] = 1; } //~ oob-global proved
__global__ void last(Pair *p, int k) { if (threadIdx.x == k) p->a = p->b; }
__global__ void fill_last(Pair *p) { int i = threadIdx.x; if (i < p->n) p->a[i] = 2; } //~ oob-global proved
__global__ void step(Pair *p) { p->b = p->b + 1; }
__global__ void fill_step(Pair *p) { int i = threadIdx.x; if (i < 4) p->b[i] = 3; } //~ oob-global proved

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 5 || n > 256) return 1;
    Pair h = {nullptr, n, nullptr}, *p;
    cudaMalloc(&h.a, n * sizeof(int));
    cudaMalloc(&h.b, 4 * sizeof(int));
    cudaMalloc(&p, sizeof(Pair));
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    exchange<<<1, 1 + n % 2>>>(p);
    fill<<<1, 256>>>(p);
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    last<<<2, 32>>>(p, 3);
    fill_last<<<1, 256>>>(p);
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    step<<<1, 1 + n % 2>>>(p);
    fill_step<<<1, 32>>>(p);
    return 0;
}
