// One thread goes round 2^31 times before its index wraps, which no replay does: possible, with the inputs.
#include <cstdlib>

__global__ void fill(char *p, size_t n) {
    char last = 0;
    for (size_t i = 0; i < n; i++) {
        int at = i;
        last = 3 * last + p[at]; //~ index-overflow possible
        p[at] = last;
    }
}

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    long n = atol(argv[1]);
    if (n < 1) return 1;
    char *p;
    cudaMalloc(&p, n);
    cudaMemset(p, 1, n);
    fill<<<1, 1>>>(p, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
