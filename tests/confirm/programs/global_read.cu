#include <cstdlib>
#include <cstdio>
namespace grid { namespace {
template <typename T> __device__ T load(const T *p, int i) {
    return p[i];
}
template <typename T, int R> __global__ void blur(T *out, const T *in, int w, int h) {
    int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
    if (x < w && y < h) {
        out[y * w + x] =
            load(in, y * w + x + R);
    }
}
} }
int main(int argc, char **argv) {
    int w = 8, h = atoi(argv[1]);
    double *a, *b;
    cudaMalloc(&a, w * h * sizeof(double));
    cudaMalloc(&b, w * h * sizeof(double));
    cudaMemset(b, 0, w * h * sizeof(double));
    grid::blur<double, 1><<<dim3(1, (h + 3) / 4), dim3(8, 4)>>>(a, b, w, h);
    cudaError_t e = cudaDeviceSynchronize();
    printf("%s\n", cudaGetErrorString(e));
    return e != cudaSuccess;
}
