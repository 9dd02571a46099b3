// Objects that device code passes through `...`, also to printf, with and without a copy constructor: nvcc passes their bytes, and goes on.
// Twin of clean/objects_in_ellipses.cu: `i <= n`.
#include <cstdio>
#include <cstdlib>

struct Plain {
    float x;
};

struct Copied {
    float x;
    __host__ __device__ Copied(float x) : x(x) {}
    __host__ __device__ Copied(const Copied& other) : x(other.x) {}
};

__device__ void nothing(int, ...) {}

template <typename T>
__device__ void print(const T& x) {
    printf("%f\n", x);
}

__global__ void fill(float* x, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Plain plain{1};
    const Copied copied(2);
    if (i == 0) printf("%f %f\n", plain, copied);
    nothing(i, copied, plain);
    if (i == 1) {
        print(plain);
        print(copied);
        print(3);
    }
    if (i <= n) x[i] = copied.x; //~ oob-global proved
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    if (n < 1 || n > 1 << 20) return 1;
    float* x;
    cudaMalloc(&x, n * sizeof(float));
    fill<<<n / 32 + 1, 32>>>(x, n);
    return cudaDeviceSynchronize();
}
