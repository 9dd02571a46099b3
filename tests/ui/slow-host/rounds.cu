//@ undecided: 0
// Loops around launches that are too much to follow round by round, since what `main` itself does in each round takes long: what
// holds in every round decides.
#include <cstdlib>

__global__ void within(float *a, int n, int from) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n - from) a[from + i] = 1; }
__global__ void beyond(float *a, int n, int from) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[from + i] = 2; } //~ oob-global proved

#define TWICE(x) x x
#define MANY(x) TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(TWICE(x))))))))

int main(int argc, char **argv) {
    if (argc != 2) return 1;
    int n = atoi(argv[1]);
    if (n < 64 || n > 1 << 20) return 1;
    float *a;
    cudaMalloc(&a, n * sizeof(float));
    for (int i = 0; i < 16; i++) {
        for (int j = 0; j < 8; j++) {
            for (int k = 0; k < 8; k++) {
                int t = i + 16 * j;
                MANY(t = (t * 5 + 3) & 63; t = (t * 3 + 5) & 63;)
                dim3 grid((n + 255) / 256);
                dim3 block(256);
                within<<<grid, block>>>(a, n, j * 8 + k);
                if (t < 64) beyond<<<grid, block>>>(a, n, j * 8 + k);
            }
        }
    }
}
