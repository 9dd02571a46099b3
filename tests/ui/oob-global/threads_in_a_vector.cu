// Threads in a container: the last one starts too far.
#include <thread>
#include <vector>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    std::vector<std::thread> threads;
    for (int i = 0; i < 4; i++) threads.emplace_back([a, i] { fill<<<1, 64>>>(a + 17 * i, 16); });
    for (auto &t : threads) t.join();
    return cudaFree(a);
}
