// A thread of the host waits in code that is not followed: a recursion that is too deep.
//@ undecided: 1
#include <pthread.h>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

pthread_mutex_t guard = PTHREAD_MUTEX_INITIALIZER;
int *a, n = 64, depth;

int wait(int at) {
    if (at < depth) return wait(at + 1);
    pthread_mutex_lock(&guard);
    return pthread_mutex_unlock(&guard);
}

void *waits(void *) {
    wait(0);
    fill<<<1, 128>>>(a, n);
    return nullptr;
}

int main(int argc, char **argv) {
    depth = argc + 10;
    cudaMalloc(&a, 64 * sizeof(int));
    pthread_mutex_lock(&guard);
    pthread_t t;
    pthread_create(&t, nullptr, waits, nullptr);
    n = 65;
    pthread_mutex_unlock(&guard);
    pthread_join(t, nullptr);
    return cudaDeviceSynchronize();
}
