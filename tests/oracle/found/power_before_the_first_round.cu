// argv: 1 2 3 4 8
// In the first round of a halving loop, nothing has been halved.
__global__ void @one(int *a, int n) { if (threadIdx.x > 0) a[3] += n; }
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 1 || n > 200) return 1;
    int *a = nullptr;
    cudaMalloc(&a, n * sizeof(int));
    for (int i = 0; i < n; i++) {
        @one<<<1, n>>>(a, n);
        n /= 2;
    }
    return 0;
}
