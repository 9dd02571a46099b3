// argv: 4 5 9
// A buffer that the round before allocated has the size that it had then.
__global__ void @one(int *a, int n) { a[n] = 1; }
__global__ void @two(int *a, int n) { a[n] = 1; }
static int *@make(int n) { int *p; cudaMalloc(&p, n * sizeof(int)); return p; }
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 4 || n > 100) return 1;
    int *before = nullptr, *now = nullptr;
    for (int i = 0; i < n; i++) {
        before = now;
        now = @make(i + 1);
        if (before) @one<<<1, 1>>>(before, i);
    }
    int size = 2, *last = nullptr;
    while (size < n) { cudaFree(last); last = @make(size); size *= 2; }
    @two<<<1, 1>>>(last, size - 1);
    return 0;
}
