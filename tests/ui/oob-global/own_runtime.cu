// A program that defines a function of the runtime means its own: the one in the other file allocates half.
//@ with: own_runtime_host.cpp
__global__ void write(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0f;  //~ oob-global proved
}

int main() {
    float *p;
    if (cudaMalloc((void **)&p, 4000) != cudaSuccess) return 1;
    write<<<4, 256>>>(p, 1000);
    cudaDeviceSynchronize();
}
