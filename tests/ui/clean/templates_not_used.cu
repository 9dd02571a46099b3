// Templates with mistakes that only the device side has, and that nothing uses (Eigen 3.4: `using ::arg;`): nvcc does not look at them.
//@ decided
#include <cstdlib>

template <typename T>
struct Argument {
    __host__ __device__ static T of(T x) {
#ifdef __CUDA_ARCH__
        using ::no_such_function;
        return no_such_function(x) + no_such_number;
#else
        return x;
#endif
    }
    __host__ __device__ static T same(T x) { return x; }
};

template <typename T>
__host__ __device__ T unused(T x) {
#ifdef __CUDA_ARCH__
    return no_such_number;
#else
    return x;
#endif
}

__global__ void fill(int* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[Argument<int>::same(i)] = i;
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    if (n < 1 || n > 1 << 20) return 1;
    int* x;
    cudaMalloc(&x, n * sizeof(int));
    fill<<<n / 32 + 1, 32>>>(x, n);
    return cudaDeviceSynchronize();
}
