// Of the memory that rounds of a loop allocate each has contents of its own, although one object stands for all; and two names may
// mean the same.
#include <cstdlib>

__global__ void contents(const int *x, const int *y, int *out) { if (x[0] >= 0 && x[0] < 4) out[y[0]] = 1; } //~ oob-global possible
__global__ void same(int *p, int n) { if (threadIdx.x <= n) p[threadIdx.x] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
    int many = atoi(argv[1]), a = atoi(argv[2]), b = atoi(argv[3]);
    if (many < 2 || many > 16 || a < 0 || a >= many || b < 0 || b >= many) return 1;
    int *rows[16], *triangle[16], *out;
    for (int i = 0; i < many; i++) {
        int number = rand();
        cudaMalloc(&rows[i], sizeof(int));
        cudaMemcpy(rows[i], &number, sizeof number, cudaMemcpyHostToDevice);
    }
    cudaMalloc(&out, 4 * sizeof(int));
    contents<<<1, 1>>>(rows[a], rows[b], out);
    for (int i = 0; i < many; i++) cudaMalloc(&triangle[i], (i + 1) * sizeof(int));
    if (triangle[a] == triangle[b]) same<<<1, 64>>>(triangle[a], b + 1);
    return 0;
}
