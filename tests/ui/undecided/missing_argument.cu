//@ undecided: 2
// Where the launch is reached the program has ended before: it reads an argument that is not there.
#include <cstdlib>
#include <cstring>

__global__ void fill(int *a, int n) { if (threadIdx.x <= n) a[threadIdx.x] = 1; }
__global__ void fill_after(int *a, int n) { if (threadIdx.x <= n) a[threadIdx.x] = 2; }

int main(int argc, char **argv) {
    int n = 8, *a;
    cudaMalloc(&a, n * sizeof(int));
    if (argc == 1) {
        n = 8 + atoi(argv[1]) * 0;
        fill<<<1, 128>>>(a, n);
    }
    if (argc == 2) {
        int *p = nullptr;
        *p = 3;
        fill_after<<<1, 128>>>(a, n);
    }
    return 0;
}
