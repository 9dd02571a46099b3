// The rest of a row is only looked at where there is one.
//@ decided
#include <cstdlib>

__global__ void rest(float *x, int n, int done) {
    int left = n - done;
    if (left <= 0) return;
    if (threadIdx.x < left % (4 * blockDim.x)) x[done + threadIdx.x] = 1;
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[1]), done = atoi(argv[2]);
    if (n < 1 || n > 100000 || done < 0 || done > 100000) return 1;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    rest<<<1, 64>>>(x, n, done);
    cudaDeviceSynchronize();
}
