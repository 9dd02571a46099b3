//@ undecided: 5
// What takes long changes the sizes (never beyond the allocation, but that cannot be seen): through an argument, a global, a pointer
// kept in a global or in an object. Through the pointer that it gives its caller may write what that pointer was made of.
#include <cstdlib>
#include "part_slow.h"

__global__ void by_argument(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
__global__ void by_global(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 2; }
__global__ void by_pointer(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 3; }
__global__ void by_member(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 4; }
__global__ void by_given_pointer(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 5; }
__global__ void by_nothing(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 6; }

struct Where { int *place; };

static int global, pointed;
static int *const pointer = &pointed;

static int *set_up(unsigned seed, int *n, const Where *w, int *chosen) {
    *n -= slow(seed) & 1;
    global -= slow(seed + 2) & 1;
    *pointer -= slow(seed + 3) & 1;
    *w->place -= slow(seed + 4) & 1;
    return slow(seed + 5) == 5 ? n : chosen;
}

template <typename K> static void run(K kernel, float *a, int n) { kernel<<<(n + 255) / 256, 256>>>(a, n); }

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    const int n = atoi(argv[1]);
    if (n < 1 || n > 1 << 20) return 1;
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    int local = n, held = n, chosen = n, other = n;
    global = pointed = n;
    Where where = {&held};
    int *given = set_up(atoi(argv[2]), &local, &where, &chosen);
    chosen = n;
    *given -= 1;
    run(by_argument, a, local);
    run(by_global, a, global);
    run(by_pointer, a, pointed);
    run(by_member, a, held);
    run(by_given_pointer, a, chosen);
    run(by_nothing, a, other);
    cudaFree(a);
    return 0;
}
