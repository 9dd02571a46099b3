// Threads of the C++ library that launch with a wrong size.
#include <thread>

__global__ void in_lambda(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void in_function(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

void function(int *a, int n) { in_function<<<1, 128>>>(a, n); }

int main() {
    int *a;
    cudaMalloc(&a, 64 * sizeof(int));
    std::thread first([=] { in_lambda<<<1, 128>>>(a, 65); });
    std::thread second(function, a, 65);
    first.join();
    second.join();
    return cudaDeviceSynchronize();
}
