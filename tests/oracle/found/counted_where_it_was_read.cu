// argv: 1
// Threads count up the number by which they have found the place: the next one finds another there.
__global__ void @k(int *a, int n) {
    int t = threadIdx.x;
    if (t < n) {
        int i = a[t];
        atomicAdd(&a[i], 1);
    }
}
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 1) return 1;
    int *a = nullptr;
    cudaMalloc(&a, n * sizeof(int));
    cudaMemset(a, 0, n * sizeof(int));
    @k<<<3, 1>>>(a, n);
    return 0;
}
