// Two threads run one function, each with an allocation of its own.
#include <thread>

__global__ void small(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void large(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

void allocate(int **p, int n) { cudaMalloc(p, n * sizeof(int)); }

int main() {
    int *a, *b;
    std::thread first(allocate, &a, 64), second(allocate, &b, 65);
    first.join();
    second.join();
    small<<<1, 128>>>(a, 65);
    large<<<1, 128>>>(b, 65);
    return cudaDeviceSynchronize();
}
