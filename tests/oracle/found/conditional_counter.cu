// argv: 1 2 8 11 12 200 255 300
// A counter of eight bits that is raised under a condition wraps.
__global__ void @sometimes(int *a, int n) {
    signed char found = 0;
    for (int j = 0; j < n; j++) if (j % 4 != 3) found++;
    if (found < 8) a[found] = 1;
}
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    if (n < 1 || n > 300) return 1;
    int *a;
    cudaMalloc(&a, 8 * sizeof(int));
    @sometimes<<<1, 1>>>(a, n);
    return 0;
}
