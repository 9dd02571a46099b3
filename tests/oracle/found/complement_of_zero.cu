// argv: 1 2 3
// The complement of a constant is -1, not 2^32 - 1: nothing wraps where `n` is added.
__global__ void @k(int *a, int n) {
    int y = blockIdx.y * blockDim.y + threadIdx.y;
    int i = ~y + (n - y) + 1;
    a[i] = 1;
}
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 1 || n > 100) return 1;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    @k<<<1, 1>>>(a, n);
    return 0;
}
