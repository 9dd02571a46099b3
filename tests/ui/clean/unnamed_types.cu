// Launches with braced lists, a member template without `template` and an operator that the standard calls ambiguous: nvcc takes them,
// and each is read as nvcc reads it. In oob-global/unnamed_types.cu the guard is `i <= n`.
//@ decided
#include <cstdlib>

struct Divider {
    int d;
    __host__ __device__ operator int() const { return d; }
    friend __host__ __device__ int operator%(int n, const Divider& by) { return n - n / by.d * by.d; }
    __host__ __device__ int operator/(int n) const { return d / n; }
};

template <typename T>
struct Copied {
    template <int n>
    static __device__ void to(T* to, const T* from) {
        for (int i = 0; i < n; i++) to[i] = from[i];
    }
};

template <typename T, int n>
__device__ void copy(T* to, const T* from) {
    Copied<T>::to<n>(to, from);
}

__global__ void fill(float* x, long n, Divider rows) {
    __shared__ float few[4], more[4];
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (threadIdx.x < 4) few[threadIdx.x] = 1;
    __syncthreads();
    if (i == 0) copy<float, 4>(more, few);
    const long row = n;
    if (i < n) x[row % rows] = more[0];
    if (i < n) x[i] = rows / 1L;
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    if (n < 1 || n > 1 << 20) return 1;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    fill<<<{unsigned(n / 32 + 1)}, {32, 1, 1}, {}>>>(x, n, Divider{n});
    return cudaDeviceSynchronize();
}
