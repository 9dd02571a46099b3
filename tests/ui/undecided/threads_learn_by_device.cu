// A thread of the host reads from a device that another one went on; then it reads what that one stored.
//@ undecided: 1
#include <pthread.h>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int *a, *flag, n[2] = {64, 64};

void *looks(void *) {
    int set;
    cudaMemcpy(&set, flag, sizeof(int), cudaMemcpyDeviceToHost);
    fill<<<1, 128>>>(a, n[set & 1]);
    return nullptr;
}

int main() {
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    pthread_t t;
    pthread_create(&t, nullptr, looks, nullptr);
    n[1] = 65;
    cudaMemset(flag, 1, sizeof(int));
    pthread_join(t, nullptr);
    return cudaDeviceSynchronize();
}
