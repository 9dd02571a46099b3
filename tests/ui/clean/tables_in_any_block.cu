// Tables with initial values that only kernels read: every block, also one that is replayed after another, finds them filled.
__constant__ int order[4] = {0, 1, 3, 2};
__device__ int weights[4] = {0, 1, 3, 2};

__global__ void last_above(int *out, int limit) {
    int place = -1, other = -1;
    for (int i = 0; i < 4; i++) {
        if (order[i] > limit) place = i;
        if (weights[i] > limit) other = i;
    }
    if (place < 1) out[place] = 1;
    if (other < 1) out[other] = 1;
}

int main() {
    int *out;
    cudaMalloc(&out, sizeof(int));
    last_above<<<2, 32>>>(out, 2);
    return cudaDeviceSynchronize() != cudaSuccess;
}
