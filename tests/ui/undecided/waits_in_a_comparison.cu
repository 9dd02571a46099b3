//@ undecided: 1
// A thread waits in the comparison of a container, whose functions are not followed, and sees then what was stored before.
#include <atomic>
#include <cstdio>
#include <set>
#include <thread>
__global__ void fill(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
std::atomic<int> ready{0};
int n = 0;
struct Order { bool operator()(int a, int b) const { while (!ready.load()) {} return a < b; } };
void work(int *p, std::set<int, Order> *s) {
    s->count(2);
    fill<<<1, 256>>>(p, n);
    cudaDeviceSynchronize();
}
int main() {
    int *p;
    cudaMalloc(&p, 64 * sizeof(int));
    std::set<int, Order> s;
    s.insert(3);
    std::thread t(work, p, &s);
    n = 100;
    ready = 1;
    t.join();
    cudaFree(p);
}
