// A thread for each part of an array: it allocates, copies, launches and frees; a failing start ends the program.
//@ decided
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

__global__ void twice(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] *= 2;
}

struct Part { float *data; int n, device; };

void *work(void *given) {
    Part *part = static_cast<Part *>(given);
    float *d;
    cudaSetDevice(part->device);
    cudaMalloc(&d, part->n * sizeof(float));
    cudaMemcpy(d, part->data, part->n * sizeof(float), cudaMemcpyHostToDevice);
    twice<<<(part->n + 127) / 128, 128>>>(d, part->n);
    cudaMemcpy(part->data, d, part->n * sizeof(float), cudaMemcpyDeviceToHost);
    cudaFree(d);
    return nullptr;
}

float data[1000];

int main() {
    Part first{data, 500, 0}, second{data + 500, 500, 1};
    pthread_t t, u;
    if (pthread_create(&t, nullptr, work, &first) || pthread_create(&u, nullptr, work, &second)) {
        perror("pthread_create");
        exit(1);
    }
    pthread_join(t, nullptr);
    pthread_join(u, nullptr);
}
