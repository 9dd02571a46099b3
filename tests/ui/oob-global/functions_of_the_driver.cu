// Functions of the driver that are found by their names while the program runs (CUDA Driver API, Driver Entry Point Access): a call through the
// pointer is one of the function. Each kernel is given memory of the driver, and goes one element beyond it.
//@ decided
#include <cuda.h>
#include <dlfcn.h>

__global__ void up_to(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= n) p[i] = 1.0f;  //~ oob-global proved
}

__global__ void behind(int *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i + 1] = 1;  //~ oob-global proved
}

typedef CUresult (*Alloc)(CUdeviceptr *, size_t);
typedef CUresult (*Free)(CUdeviceptr);
typedef CUresult (*Launch)(CUfunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CUstream, void **, void **);
typedef CUresult (*LaunchEx)(const CUlaunchConfig *, CUfunction, void **, void **);
typedef CUresult (*Find)(const char *, void **, int, cuuint64_t, CUdriverProcAddressQueryResult *);

int by_the_library() {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    if (driver == nullptr) return 1;
    auto alloc = reinterpret_cast<Alloc>(dlsym(driver, "cuMemAlloc_v2"));
    auto launch = reinterpret_cast<Launch>(dlsym(driver, "cuLaunchKernel"));
    int n = 1000;
    CUdeviceptr p = 0;
    if (alloc(&p, n * sizeof(float)) != CUDA_SUCCESS) return 1;
    cudaFunction_t f;
    if (cudaGetFuncBySymbol(&f, (const void *)up_to) != cudaSuccess) return 1;
    void *args[] = {&p, &n};
    return launch((CUfunction)f, 4, 1, 1, 256, 1, 1, 0, nullptr, args, nullptr);
}

int by_the_driver() {
    void *driver = dlopen("libcuda.so.1", RTLD_NOW);
    auto find = reinterpret_cast<Find>(dlsym(driver, "cuGetProcAddress_v2"));
    void *alloc = nullptr, *launch = nullptr;
    CUdriverProcAddressQueryResult found;
    if (find("cuMemAlloc", &alloc, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found) != CUDA_SUCCESS) return 1;
    if (found != CU_GET_PROC_ADDRESS_SUCCESS) return 1;
    if (find("cuLaunchKernelEx", &launch, 12000, CU_GET_PROC_ADDRESS_DEFAULT, &found) != CUDA_SUCCESS) return 1;
    int n = 1000;
    CUdeviceptr p = 0;
    if (((Alloc)alloc)(&p, n * sizeof(int)) != CUDA_SUCCESS) return 1;
    cudaFunction_t f;
    if (cudaGetFuncBySymbol(&f, (const void *)behind) != cudaSuccess) return 1;
    CUlaunchConfig config{};
    config.gridDimX = 4, config.gridDimY = 1, config.gridDimZ = 1;
    config.blockDimX = 256, config.blockDimY = 1, config.blockDimZ = 1;
    void *args[] = {&p, &n};
    return ((LaunchEx)launch)(&config, (CUfunction)f, args, nullptr);
}

int main() {
    return by_the_library() + by_the_driver();
}
