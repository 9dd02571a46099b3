// A kernel that is handed to a function behind a pointer of another library, which may launch it with any arguments.
//@ undecided: 1
extern "C" void *some_pointer();

__global__ void write(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0f;
}

int main() {
    int n = 1000;
    float *p;
    if (cudaMalloc(&p, n * sizeof(float)) != cudaSuccess) return 1;
    write<<<4, 256>>>(p, n);
    int m = n + 1;
    void *a[] = {&p, &m};
    ((int (*)(const void *, void **))some_pointer())((const void *)write, a);
    cudaDeviceSynchronize();
}
