// A thread of the host waits for a kernel that waits for another thread; then it reads what that one stored.
//@ undecided: 2
#include <pthread.h>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void wait(volatile int *flag) { while (!*flag) {} }

int *a, *flag, n = 64;

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
    n = 65;
    *static_cast<volatile int *>(flag) = 1;
    pthread_join(t, nullptr);
    return cudaDeviceSynchronize();
}
