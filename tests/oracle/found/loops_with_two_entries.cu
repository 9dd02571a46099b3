// argv: 1 2
// What is not followed may lead back to what was.
__device__ int @weird(int n) { int i = 0; if (n & 1) goto b; a: i += 1; if (i > 10) return i; b: i += 2; if (i < 9) goto a; return i; }
__device__ void @touch(int *a, int i) { a[i] = 1; }
__device__ void @other(int *a, int i) { a[i] = 2; }
__global__ void @kernel(int *a, int n) { @touch(a, 0); @weird(n); @touch(a, 100); @other(a, 100); }
__global__ void @again(int *a, int n) { a[n] = 1; }
static int @strange(int n) { int i = 0; if (n & 1) goto b; a: i += 1; if (i > 10) return i; b: i += 2; if (i < 9) goto a; return i; }
int @main(int argc, char **argv) {
    int n = atoi(argv[1]);
    int *a;
    cudaMalloc(&a, 8 * sizeof(int));
    @kernel<<<1, 1>>>(a, n);
    @again<<<1, 1>>>(a, 0);
    @strange(n);
    @again<<<1, 1>>>(a, 100);
    return 0;
}
