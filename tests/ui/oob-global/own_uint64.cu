// A type of the program with the name of one in <stdint.h>, which nvcc does not include by itself.
// Twin of clean/own_uint64.cu: `i <= n`.

typedef unsigned long long uint64_t;
typedef uint64_t uintptr_t;
typedef uint64_t size_in_bytes;

template <typename T>
__global__ void fill(T* x, uint64_t n) {
    uint64_t i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) x[i] = i; //~ oob-global proved
}

int main(int argc, char**) {
    const uintptr_t n = argc;
    if (n > 1 << 20) return 1;
    const size_in_bytes size = n * sizeof(uint64_t);
    uint64_t* x;
    cudaMalloc(&x, size);
    fill<uint64_t><<<unsigned(n / 32 + 1), 32>>>(x, n);
    return cudaDeviceSynchronize();
}
