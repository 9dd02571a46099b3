// Memory is freed before the thread that launches with it has ended.
//@ undecided: 1
#include <pthread.h>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }

void *work(void *a) {
    fill<<<1, 64>>>(static_cast<int *>(a));
    return nullptr;
}

int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    pthread_t t;
    pthread_create(&t, nullptr, work, a);
    cudaFree(a);
    pthread_join(t, nullptr);
    return cudaDeviceSynchronize();
}
