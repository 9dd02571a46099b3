// A thread waits for a kernel that waits for another thread, and only then reads what that one has stored.
//@ undecided: 1
#include <pthread.h>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global possible
__global__ void wait(volatile int *flag) { while (!*flag) {} }

int *a, *flag, n = 65;

void *waits(void *) {
    wait<<<1, 1>>>(flag);
    cudaDeviceSynchronize();
    fill<<<1, 128>>>(a, n);
    return nullptr;
}

int main() {
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMallocHost(&flag, sizeof(int));
    *flag = 0;
    pthread_t t;
    pthread_create(&t, nullptr, waits, nullptr);
    n = 64;
    *static_cast<volatile int *>(flag) = 1;
    pthread_join(t, nullptr);
    return cudaDeviceSynchronize();
}
