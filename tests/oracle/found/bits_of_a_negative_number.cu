// argv: -3 0 2
// What a bitwise operation makes of a negative number is negative, and nothing wraps.
__global__ void @k(char *a, int n) {
    a[n] = 1;
}
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    char *a;
    cudaMalloc(&a, 16);
    cudaMemset(a, 0, 16);
    if ((n ^ 2) < 0) @k<<<1, 1>>>(a, n);
    return 0;
}
