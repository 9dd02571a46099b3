//@ undecided: 1
// What a loop of `main` changes is not found out in so many passes: it shows one by one. It does nothing on a device: what it does not
// touch is still known, what it changes is not; a run on small inputs shows what goes wrong all the same.
#include <cstdlib>

__global__ void untouched(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
__global__ void touched(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 2; }
__global__ void too_many(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 3; } //~ oob-global proved

int main(int argc, char **argv) {
    if (argc != 3) return 1;
    int n = atoi(argv[1]), rounds = atoi(argv[2]);
    if (n < 1 || n > 1 << 20) return 1;
    int m = n, l = n, x0 = 0, x1 = 0, x2 = 0, x3 = 0, x4 = 0, x5 = 0, x6 = 0, x7 = 0, x8 = 0, x9 = 0, x10 = 0, x11 = 0, x12 = 0, x13 = 0, x14 = 0, x15 = 0, x16 = 0, x17 = 0, x18 = 0, x19 = 0;
    for (int i = 0; i < rounds; i++) {
        if (x19) m = n - 1, l = n + 1;
        if (x18) x19 = 1;
        if (x17) x18 = 1;
        if (x16) x17 = 1;
        if (x15) x16 = 1;
        if (x14) x15 = 1;
        if (x13) x14 = 1;
        if (x12) x13 = 1;
        if (x11) x12 = 1;
        if (x10) x11 = 1;
        if (x9) x10 = 1;
        if (x8) x9 = 1;
        if (x7) x8 = 1;
        if (x6) x7 = 1;
        if (x5) x6 = 1;
        if (x4) x5 = 1;
        if (x3) x4 = 1;
        if (x2) x3 = 1;
        if (x1) x2 = 1;
        if (x0) x1 = 1;
        x0 = 1;
    }
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    untouched<<<(n + 255) / 256, 256>>>(a, n);
    touched<<<(m + 255) / 256, 256>>>(a, m);
    too_many<<<(l + 255) / 256, 256>>>(a, l);
    cudaFree(a);
    return 0;
}
