//@ undecided: 1
// A thread waits in the comparison of an algorithm, which is not followed.
#include <algorithm>
#include <atomic>
#include <thread>
#include <vector>
__global__ void fill(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
std::atomic<int> ready{0};
int n = 0;
void work(int *p) {
    int v[3] = {3, 1, 2};
    std::sort(v, v + 3, [](int a, int b) { while (!ready.load()) {} return a < b; });
    fill<<<1, 256>>>(p, n);
    cudaDeviceSynchronize();
}
int main() {
    int *p;
    cudaMalloc(&p, 64 * sizeof(int));
    std::thread t(work, p);
    n = 100;
    ready = 1;
    t.join();
    cudaFree(p);
}
