// How often a loop takes a branch is not known, and the replay cannot tell, since the launch depends on what is not defined here.
//@ undecided: 2
int blocks();

__global__ void collect(const float *data, int *places) {
    __shared__ int found[32];
    int count = 0;
    for (int i = 0; i < 64; i++) {
        if (data[i] > 0.5f) { found[count % 64] = i; count++; }
    }
    if (count > 0) places[0] = found[0];
}

__global__ void gather(const float *data, int *places) {
    __shared__ int found[32];
    int count = 0;
    for (int i = 0; i < 64; i++) {
        if (data[i] > 0.5f) found[count++] = i;
    }
    if (count > 0) places[0] = found[0];
}

int main() {
    float *data;
    int *places;
    cudaMalloc(&data, 64 * sizeof(float));
    cudaMalloc(&places, sizeof(int));
    collect<<<blocks(), 1>>>(data, places);
    gather<<<blocks(), 1>>>(data, places);
    return cudaDeviceSynchronize() != cudaSuccess;
}
