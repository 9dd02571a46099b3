// Threads of the host that launch: each is followed where it is started.
//@ decided
#include <pthread.h>

__global__ void fill(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }

struct Work { int *a; int n; };

void *posix(void *given) {
    Work *w = static_cast<Work *>(given);
    fill<<<1, 128>>>(w->a, w->n);
    cudaDeviceSynchronize();
    return nullptr;
}

void *alone(void *) {
    int *own;
    cudaMalloc(&own, 64 * sizeof(int));
    fill<<<1, 128>>>(own, 64);
    cudaDeviceSynchronize();
    cudaFree(own);
    return nullptr;
}

int main(int argc, char **argv) {
    int n = argc, *a;
    if (n > 64) return 1;
    cudaMalloc(&a, n * sizeof(int));
    Work w{a, n};
    pthread_t first, second;
    pthread_create(&first, nullptr, posix, &w);
    pthread_create(&second, nullptr, alone, nullptr);
    // Beside them.
    fill<<<1, 128>>>(a, n);
    pthread_join(first, nullptr);
    pthread_join(second, nullptr);
    cudaFree(a);
}
