// Threads in a container, which are joined in a loop.
//@ decided
#include <thread>
#include <vector>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) threads.emplace_back([a, i] { fill<<<1, 64>>>(a + 16 * i, 16); });
    for (auto &t : threads) t.join();
    return cudaFree(a);
}
