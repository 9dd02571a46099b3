// Threads that poll until another one has stored what they read: by an atomic variable, and by memory of a device.
#include <atomic>
#include <thread>

__global__ void by_atomic(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void by_device(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

std::atomic<bool> go;
int *a, *flag, n = 65, m = 65;

int main() {
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&flag, sizeof(int));
    cudaMemset(flag, 0, sizeof(int));
    std::thread first([] {
        while (!go) {}
        by_atomic<<<1, 128>>>(a, n);
    });
    n = 64;
    go = true;
    first.join();
    std::thread second([] {
        int set;
        do cudaMemcpy(&set, flag, sizeof(int), cudaMemcpyDeviceToHost);
        while (!set);
        by_device<<<1, 128>>>(a, m);
    });
    m = 64;
    cudaMemset(flag, 1, sizeof(int));
    second.join();
    return cudaDeviceSynchronize();
}
