// As clean/compacted_by_votes.cu, but a lane counts its own vote.
#include <cstdlib>

__device__ unsigned below() {
    unsigned r;
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(r));
    return r;
}

__global__ void k(int* out, int n) {
    __shared__ int a[32], b[32], e[5];
    int lane = threadIdx.x, i = blockIdx.x * 32 + lane;
    bool keep = i < n;
    unsigned votes = __ballot_sync(~0u, keep);
    a[lane] = 0;
    b[lane] = 0;
    __syncwarp();
    if (keep) {
        a[__popc(votes & ((2u << lane) - 1))] = i; //~ oob-shared proved
        b[__popc(votes & below())] = i; //~ oob-shared proved
        e[__popc(below() & 7)] = i;
    }
    __syncwarp();
    out[i] = a[lane] + b[lane] + e[0];
}

int main(int argc, char** argv) {
    int n = argc > 1 ? atoi(argv[1]) : 100;
    if (n < 1 || n > 1 << 20) return 1;
    int* out;
    cudaMalloc(&out, (n + 31) / 32 * 32 * sizeof(int));
    k<<<(n + 31) / 32, 32>>>(out, n);
    return cudaDeviceSynchronize();
}
