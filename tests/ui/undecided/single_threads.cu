//@ undecided: 6
// Launches of one thread of which it is not known what they leave: several of them may overlap, code is called that is not at hand,
// they write through pointers that are not known or memory that the host writes meanwhile; and launches that only look alike.
#include <cstdlib>

struct Pair { int *a; int *b; };

extern __device__ void elsewhere(Pair *p);

__global__ void exchange(Pair *p) { int *t = p->a; p->a = p->b; p->b = t; }
__global__ void set(Pair *p, int *a, int *b) { p->a = a; p->b = b; }
__global__ void use_a(Pair *p) { p->a[threadIdx.x] = 1; }
__global__ void use_b(Pair *p) { p->a[threadIdx.x] = 2; }
__global__ void use_c(Pair *p) { p->a[threadIdx.x] = 3; }
__global__ void use_d(Pair *p) { p->a[threadIdx.x] = 4; }
__global__ void use_e(Pair *p) { p->a[threadIdx.x] = 5; }
__global__ void through(Pair *p, Pair **where, int *a) { (*where)->a = a; }
__global__ void calls(Pair *p, int *a) { p->a = a; elsewhere(p); }

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int *a, *b;
    Pair *p, *q, *r, *s, *managed, **where;
    cudaMalloc(&a, 32 * sizeof(int));
    cudaMalloc(&b, 8 * sizeof(int));
    cudaMalloc(&p, sizeof(Pair));
    cudaMalloc(&q, sizeof(Pair));
    cudaMalloc(&r, sizeof(Pair));
    cudaMalloc(&s, sizeof(Pair));
    cudaMalloc(&where, sizeof(Pair *));
    cudaMallocManaged(&managed, sizeof(Pair));
    // Two threads exchange at once, or one does twice.
    set<<<1, 1>>>(p, a, a);
    int threads = atoi(argv[1]);
    exchange<<<1, threads>>>(p);
    use_a<<<1, 32>>>(p);
    // Not all of its code is at hand.
    set<<<1, 1>>>(q, b, b);
    calls<<<1, 1>>>(q, a);
    use_b<<<1, 32>>>(q);
    // The host may have written there before the kernel does.
    set<<<1, 1>>>(managed, a, a);
    managed->a = b;
    use_c<<<1, 32>>>(managed);
    // It writes somewhere.
    set<<<1, 1>>>(r, a, a);
    through<<<1, 1>>>(p, where, b);
    use_d<<<1, 32>>>(r);
    // Two streams.
    cudaStream_t one, two;
    cudaStreamCreateWithFlags(&one, cudaStreamNonBlocking);
    cudaStreamCreateWithFlags(&two, cudaStreamNonBlocking);
    set<<<1, 1, 0, one>>>(s, a, a);
    set<<<1, 1, 0, two>>>(s, b, b);
    use_e<<<1, 32, 0, one>>>(s);
}
