// Where no thread is left, the constructor throws.
//@ undecided: 1
#include <thread>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main() {
    int *a, n = 64;
    cudaMalloc(&a, 64 * sizeof(int));
    try {
        std::thread t([=] { fill<<<1, 64>>>(a, 64); });
        t.join();
    } catch (...) {
        n = 65;
    }
    fill<<<1, 128>>>(a, n);
    return cudaDeviceSynchronize();
}
