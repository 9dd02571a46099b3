// A thread that does nothing on devices may wait for others.
//@ decided
#include <mutex>
#include <thread>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

std::mutex guard;
int total;

int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    std::thread t([] {
        std::lock_guard<std::mutex> lock(guard);
        total++;
    });
    t.join();
    fill<<<1, 64>>>(a, 64);
    return cudaFree(a);
}
