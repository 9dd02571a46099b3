// Threads of the host that launch with a wrong size.
#include <pthread.h>

__global__ void in_thread(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void alone(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void after(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

struct Work { int *a; int n; };

void *work(void *given) {
    Work *w = static_cast<Work *>(given);
    in_thread<<<1, 128>>>(w->a, w->n);
    w->n++;
    return nullptr;
}

void *alone_with_memory(void *) {
    int *own;
    cudaMalloc(&own, 64 * sizeof(int));
    alone<<<1, 128>>>(own, 65);
    return nullptr;
}

int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    Work w{a, 65};
    pthread_t t, u;
    pthread_create(&t, nullptr, work, &w);
    pthread_create(&u, nullptr, alone_with_memory, nullptr);
    pthread_join(t, nullptr);
    pthread_join(u, nullptr);
    after<<<1, 128>>>(w.a, w.n);
    return cudaDeviceSynchronize();
}
