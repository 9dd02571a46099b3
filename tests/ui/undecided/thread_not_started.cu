// Where no thread is left, none is started, and what it would have stored is not there.
//@ undecided: 1
#include <pthread.h>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int *a, n = 65;

void *shrink(void *) {
    fill<<<1, 64>>>(a, 64);
    n = 64;
    return nullptr;
}

int main() {
    cudaMalloc(&a, 64 * sizeof(int));
    pthread_t t;
    if (pthread_create(&t, nullptr, shrink, nullptr) == 0) pthread_join(t, nullptr);
    fill<<<1, 128>>>(a, n);
    return cudaDeviceSynchronize();
}
