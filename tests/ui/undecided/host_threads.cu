// A thread that may wait for another one: it reads what that one stores before it goes on. Nothing is proved.
#include <pthread.h>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int n = 64;
pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;

void *waits(void *a) {
    pthread_mutex_lock(&guard);
    fill<<<1, 128>>>(static_cast<int *>(a), n);
    pthread_mutex_unlock(&guard);
    return nullptr;
}

int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    pthread_mutex_lock(&guard);
    n = 65;
    pthread_t t;
    pthread_create(&t, nullptr, waits, a);
    n = 64;
    pthread_mutex_unlock(&guard);
    pthread_join(t, nullptr);
    return cudaDeviceSynchronize();
}
