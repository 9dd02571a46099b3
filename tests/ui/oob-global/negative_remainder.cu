// A negative number of elements left is read as a large one by a comparison without sign.
#include <cstdlib>

__global__ void rest(float *x, int n, int done) {
    int left = n - done;
    if (threadIdx.x < left % (4 * blockDim.x)) x[done + threadIdx.x] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[1]), done = atoi(argv[2]);
    if (n < 40 || n > 100000 || done < 0 || done > 100000) return 1;
    float *x;
    cudaMalloc(&x, n * sizeof(float));
    rest<<<1, 64>>>(x, n, done);
    cudaDeviceSynchronize();
}
