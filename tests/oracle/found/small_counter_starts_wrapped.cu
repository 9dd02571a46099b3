// argv: 1000 5
// 1000 is -24 in eight bits: eleven rounds, after which 1000 * 4^11 has wrapped.
__global__ void @k(int *a, int n) {
    long long t = threadIdx.x;
    int i = n;
    signed char c = n;
    while (c < t) {
        i *= 4;
        c += 3;
    }
    if (i < n) a[i] += 1;
}
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n <= 0) return 1;
    int *a;
    cudaMalloc(&a, n * sizeof(int));
    @k<<<1, 16>>>(a, n);
    return 0;
}
