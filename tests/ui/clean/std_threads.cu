// Threads of the C++ library that launch.
//@ decided
#include <thread>

__global__ void fill(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }

void function(int *a, int n) { fill<<<1, 128>>>(a, n); }

int main(int argc, char **argv) {
    int n = argc, *a;
    if (n > 64) return 1;
    cudaMalloc(&a, n * sizeof(int));
    std::thread first([=] { fill<<<1, 64>>>(a, n); });
    std::thread second(function, a, n);
    fill<<<1, 128>>>(a, n);
    first.join();
    second.join();
    cudaFree(a);
}
