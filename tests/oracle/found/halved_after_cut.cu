// argv: 1 44 299 300
// What is halved is what eight bits hold of 300, not 300.
__global__ void @halved(int *a, int n) {
    for (unsigned char s = n; s > 0; s >>= 1) {
        if (s == 11) a[8] = 1;
    }
}
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int *a;
    cudaMalloc(&a, 8 * sizeof(int));
    if (n == 300) @halved<<<1, 1>>>(a, n);
    return 0;
}
