// A managed variable is one object: what a kernel sets is what the host passes on as an index.
#include <cstdlib>

__managed__ int index_of_last;

__global__ void set(int n) { index_of_last = n; }

__global__ void put(int *a, int i) { a[i] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 0 || n > 2) return 1;
    int *a;
    cudaMalloc(&a, 2 * sizeof(int));
    index_of_last = 0;
    set<<<1, 1>>>(n);
    cudaDeviceSynchronize();
    put<<<1, 1>>>(a, index_of_last);
    cudaDeviceSynchronize();
    cudaFree(a);
}
