// What other threads may change is read once, and that is asked and passed on; an atomic variable whose address nobody else has is read twice.
//@ decided
#include <atomic>
#include <pthread.h>

static std::atomic<int> next_index;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared_index;

__global__ void put(int *a, int i) { a[i] = 1; }

void set(int i) {
    next_index = i;
    pthread_mutex_lock(&mutex);
    shared_index = i;
    pthread_mutex_unlock(&mutex);
}

void serve(int n) {
    if (n < 1) return;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    int i = next_index.load();
    if (i >= 0 && i < n) put<<<1, 1>>>(a, i);
    pthread_mutex_lock(&mutex);
    int j = shared_index;
    pthread_mutex_unlock(&mutex);
    if (j >= 0 && j < n) put<<<1, 1>>>(a, j);
    std::atomic<int> own(n - 1);
    if (own.load() < n) put<<<1, 1>>>(a, own.load());
    cudaDeviceSynchronize();
    cudaFree(a);
}
