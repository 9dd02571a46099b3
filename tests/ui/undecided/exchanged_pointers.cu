//@ undecided: 6
// Pointers in the device's memory of which it is not known which they are: threads store more than pointers there, parts of them, some
// that are read where nothing is known, or somewhere else than whole.
#include <cstdlib>

struct Pair { int *a; int *b; };
union Word { int *p; int half[2]; };

__global__ void number(Pair *p, long long x) { if (threadIdx.x == 40) *(long long *)&p->a = x; }
__global__ void use_number(Pair *p) { p->a[threadIdx.x] = 1; }
__global__ void part(Word *w, int x) { w->half[threadIdx.x & 1] = x; }
__global__ void use_part(Word *w) { w->p[threadIdx.x] = 2; }
__global__ void bytes(Pair *p, int k) { p->b = p->a; if (k < sizeof(Pair)) ((char *)p)[k] = 1; }
__global__ void use_bytes(Pair *p) { p->b[threadIdx.x] = 3; }
__global__ void local(Pair *p) { int x[8]; p->a = x; }
__global__ void use_local(Pair *p) { p->a[threadIdx.x] = 4; }
__global__ void unset(Pair *p, Pair *q) { p->a = q->a; }
__global__ void use_unset(Pair *p) { p->a[threadIdx.x] = 5; }
// Each thread adds to what others left.
__global__ void walk(Pair *p) { p->a = p->a + 1; }
__global__ void use_walk(Pair *p) { p->a[threadIdx.x] = 6; }

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 32 || n > 256) return 1;
    Pair h, *p;
    cudaMalloc(&h.a, 4096);
    cudaMalloc(&h.b, 4096);
    cudaMalloc(&p, sizeof(Pair));
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    number<<<1, 32>>>(p, n);
    use_number<<<1, 32>>>(p);
    Word g = {h.a}, *w;
    cudaMalloc(&w, sizeof(Word));
    cudaMemcpy(w, &g, sizeof g, cudaMemcpyHostToDevice);
    part<<<1, 2>>>(w, n);
    use_part<<<1, 32>>>(w);
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    bytes<<<1, 2>>>(p, n - 32);
    use_bytes<<<1, 32>>>(p);
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    local<<<1, 2>>>(p);
    use_local<<<1, 32>>>(p);
    Pair *q;
    cudaMalloc(&q, sizeof(Pair));
    unset<<<1, 2>>>(p, q);
    use_unset<<<1, 32>>>(p);
    cudaMemcpy(p, &h, sizeof h, cudaMemcpyHostToDevice);
    walk<<<1, 2>>>(p);
    use_walk<<<1, 32>>>(p);
    return 0;
}
