// As clean/declared_again.cu, but `before` gives its argument.
#include <cstdlib>

__host__ __device__ int next(int i);
inline int next(int i) { return i + 1; }

struct Row {
    int width;
    __host__ __device__ int at(int i) const;
    template <typename T>
    __host__ __device__ T last(T n) const;
};

int Row::at(int i) const { return i * width; }

template <typename T>
T Row::last(T n) const {
    return n - 1;
}

int before(int i);
__host__ __device__ int before(int i) { return i; }

__global__ void k(int* a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    Row row{1};
    if (i < n) a[before(next(i))] = 1; //~ oob-global proved
    if (i < n) a[row.at(row.last(n) - i)] = 2;
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    if (n < 1 || n > 1 << 20) return 1;
    int* a;
    cudaMalloc(&a, n * sizeof(int));
    k<<<next(n / 256), 256>>>(a, n);
    return cudaDeviceSynchronize();
}
