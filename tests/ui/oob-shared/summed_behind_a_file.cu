// A loop goes one too far wherever the kernel is launched; the sum that it makes beside that decides nothing, and a launch that
// needs a certain file is not replayed.
#include <cstdio>
#include <cstdlib>

__global__ void sums(const int *in, int *out, int n) {
    __shared__ int s[128];
    int i = blockIdx.x * 128 + threadIdx.x;
    s[threadIdx.x] = i < n ? in[i] : 0;
    __syncthreads();
    if (threadIdx.x == 0) {
        int sum = 0;
        for (int k = 0; k <= blockDim.x; k++) {
            sum += s[k]; //~ oob-shared possible
        }
        out[blockIdx.x] = sum;
    }
}

// Four numbers among comments, in a form of their own: no file is found that passes the checks.
static int load(FILE *f, int *v) {
    char line[64];
    int n = 0;
    while (n < 4 && fgets(line, sizeof line, f)) {
        if (line[0] == '#') continue;
        v[n++] = (int)strtol(line, nullptr, 0) ^ 5;
    }
    return n;
}

int main(int argc, char **argv) {
    if (argc != 2) return 1;
    FILE *f = fopen(argv[1], "r");
    if (!f) return 1;
    int v[4];
    if (load(f, v) != 4 || v[0] < 1 || v[0] > 1000000 || v[1] != 77 || v[2] != v[3] * 3) return 1;
    int n = v[0], *in, *out;
    cudaMalloc(&in, n * sizeof(int));
    cudaMemset(in, 0, n * sizeof(int));
    cudaMalloc(&out, (n + 127) / 128 * sizeof(int));
    sums<<<(n + 127) / 128, 128>>>(in, out, n);
    return cudaDeviceSynchronize();
}
