// A thread that a library starts goes on while others call the library.
//@ undecided: 1
#include <pthread.h>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }

static int *a;
static pthread_t t;

static void *work(void *) {
    fill<<<1, 64>>>(a);
    return nullptr;
}

extern "C" void begin() {
    cudaMalloc(&a, 64 * sizeof(int));
    pthread_create(&t, nullptr, work, nullptr);
}

extern "C" void end() { cudaFree(a); }
