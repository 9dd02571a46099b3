// argv: 2 0 1
// What an array of no elements holds bounds nothing.
__global__ void @k(int *a, int n) {
    int i = n % 2 ? a[n] : 8;
    a[i] += 1;
}
int @main(int argc, char **argv) {
    int v = atoi(argv[1]);
    int h[2] = {v, 0};
    int n = h[v == 0 ? 0 : 1];
    int *a;
    cudaMalloc(&a, n * 5 * sizeof(int));
    cudaMemset(a, 0, n * 5 * sizeof(int));
    @k<<<(v + 1) / 2, 2>>>(a, n);
    return 0;
}
