// A thread frees memory and ends the program, while another one launches with that memory.
//@ undecided: 1
#include <pthread.h>
#include <stdlib.h>

__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int *a, n;

void *work(void *) {
    if (n > 5) {
        cudaFree(a);
        exit(0);
    }
    fill<<<1, 1>>>(a);
    return nullptr;
}

int main(int argc, char **argv) {
    n = argc;
    cudaMalloc(&a, 64 * sizeof(int));
    pthread_t t;
    pthread_create(&t, nullptr, work, nullptr);
    fill<<<1, 64>>>(a);
    pthread_join(t, nullptr);
    return cudaDeviceSynchronize();
}
