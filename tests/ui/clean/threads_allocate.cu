// Two threads run one function, each with an allocation of its own.
//@ decided
#include <thread>

__global__ void fill(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

void allocate(int **p, int n) { cudaMalloc(p, n * sizeof(int)); }

int main() {
    int *a, *b;
    std::thread first(allocate, &a, 64), second(allocate, &b, 65);
    first.join();
    second.join();
    fill<<<1, 128>>>(a, 64);
    fill<<<1, 128>>>(b, 65);
    cudaFree(a);
    return cudaFree(b);
}
