// Threads write texts, sleep, draw numbers, and throw where a call fails: nothing of it orders threads.
#include <stdexcept>
#include <string>
#include <sstream>
#include <chrono>
#include <iostream>
#include <random>
#include <thread>
#define CHECK(x) do { cudaError_t e = (x); if (e != cudaSuccess) throw std::runtime_error(std::string("CUDA: ") + cudaGetErrorString(e)); } while (0)
__global__ void fill(int *p, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) p[i] = i; }
void work(int *p, int n) {
    fill<<<(n + 255) / 256, 256>>>(p, n);
    CHECK(cudaDeviceSynchronize());
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    std::mt19937 numbers(7);
    std::normal_distribution<float> normal;
    std::ostringstream out;
    out << "filled " << n << " and " << normal(numbers);
    std::cout << out.str() << std::endl;
}
int main(int argc, char **argv) {
    int n = argc > 1 ? 1000 : 64;
    int *p;
    CHECK(cudaMalloc(&p, n * sizeof(int)));
    std::thread t(work, p, n);
    t.join();
    CHECK(cudaFree(p));
}
