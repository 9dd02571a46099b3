//@ undecided: 2
// A kernel calls a null pointer and fails there: what stands behind it is not reached.
typedef int (*F)(int);
__device__ int twice(int x) { return 2 * x; }
__device__ F table[2] = {twice, nullptr};
__global__ void k(int *p, int which, int n) { int i = threadIdx.x; int at = table[which](i); if (at < n) p[at + 1] = 1; p[n] = 2; }
int main() {
    int n = 64, which = 1;
    
    int *p;
    cudaMalloc(&p, n * sizeof(int));
    k<<<1, 32>>>(p, which, n);
    return cudaDeviceSynchronize() != cudaSuccess;
}
