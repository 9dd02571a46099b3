// A kernel that another unit declares as a function of the host and gives to cudaLaunchKernel: in nvcc's object its stub has its name.
//@ with: declared_kernel_host.cpp
struct Part {
    float *x;
    int n;
};

__global__ void fill(const Part p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i <= p.n) p.x[i] = 0;  //~ oob-global proved
}

__global__ void fill_ones(const Part p) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < p.n) p.x[i] = 1;
}
