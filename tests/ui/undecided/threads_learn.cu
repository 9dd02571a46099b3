// Threads of the host that learn of each other in ways other than locks: each launches with what was stored meanwhile.
//@ undecided: 1
#include <pthread.h>
#include <unistd.h>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int ends[2], *a, n = 64;

void *waits(void *) {
    char c;
    if (read(ends[0], &c, 1) != 1) return nullptr;
    fill<<<1, 128>>>(a, n);
    return nullptr;
}

int main() {
    cudaMalloc(&a, 64 * sizeof(int));
    if (pipe(ends)) return 1;
    pthread_t t;
    pthread_create(&t, nullptr, waits, nullptr);
    n = 65;
    if (write(ends[1], "x", 1) != 1) return 1;
    pthread_join(t, nullptr);
    return cudaDeviceSynchronize();
}
