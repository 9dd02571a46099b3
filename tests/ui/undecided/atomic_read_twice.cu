// What an atomic variable holds is asked, and read once more for the index: another thread may have stored something else meanwhile.
//@ undecided: 1
#include <atomic>

std::atomic<int> next_index;

__global__ void put(int *a, int i) { a[i] = 1; }

void serve(int n) {
    if (n < 1) return;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    int i = next_index.load();
    if (i < 0 || i >= n) return;
    put<<<1, 1>>>(a, next_index.load());
    cudaDeviceSynchronize();
    cudaFree(a);
}
