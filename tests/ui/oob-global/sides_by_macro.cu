// Functions that a macro makes those of the device where __CUDA_ARCH__ is defined, and of the host elsewhere: on either side code of the
// other calls them, which nvcc does not look at. Twin of clean/sides_by_macro.cu: `i <=`.
#include <cstdlib>

#ifdef __CUDA_ARCH__
#define BOTH __device__
#else
#define BOTH
#endif

template <typename T>
struct Vec {
    T x, y;
    BOTH Vec() {}
    BOTH Vec(T x, T y) : x(x), y(y) {}
    BOTH Vec(const Vec& v) : x(v.x), y(v.y) {}
    BOTH T product() const { return x * y; }
    BOTH friend Vec operator+(const Vec& a, const Vec& b) { return Vec(a.x + b.x, a.y + b.y); }
};

BOTH inline float half_of(float x) { return x / 2; }

template <typename T>
struct Image {
    Vec<int> size;
    Image(int n) { size = Vec<int>(n, 4); }
    int count() const { return size.product(); }
};

__device__ float third(float x) { return half_of(x) / 3; }

__global__ void fill(float* x, Vec<int> size) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    const Vec<int> same = size + Vec<int>(0, 0);
    if (i <= same.product()) x[i] = half_of(3) + third(2); //~ oob-global proved
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    if (n < 1 || n > 1 << 20) return 1;
    Image<float> image(n);
    float* x;
    cudaMalloc(&x, image.count() * sizeof(float));
    fill<<<n / 8 + 1, 32>>>(x, image.size);
    return cudaDeviceSynchronize();
}
