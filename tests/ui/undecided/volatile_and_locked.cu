// Two reads of a volatile variable, and two of one that a mutex protects, each of which waits for other threads.
//@ undecided: 2
#include <pthread.h>

static volatile int wanted;
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int shared_index;

__global__ void put(int *a, int i) { a[i] = 1; }

__global__ void put_locked(int *a, int i) { a[i] = 1; }

void set(int i) {
    wanted = i;
    pthread_mutex_lock(&mutex);
    shared_index = i;
    pthread_mutex_unlock(&mutex);
}

static int locked() {
    pthread_mutex_lock(&mutex);
    int i = shared_index;
    pthread_mutex_unlock(&mutex);
    return i;
}

void serve(int n) {
    if (n < 1) return;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    if (wanted >= 0 && wanted < n) put<<<1, 1>>>(a, wanted);
    if (locked() >= 0 && locked() < n) put_locked<<<1, 1>>>(a, locked());
    cudaDeviceSynchronize();
    cudaFree(a);
}
