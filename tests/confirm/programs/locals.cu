// Each thread has small matrices of its own and hands them to a function; a step too far is in the next one.
template <int n> __device__ void multiply(const float *m, const float *v, float *out) {
    for (int i = 0; i < n; ++i) {
        float sum = 0;
        for (int j = 0; j < n; ++j) sum += m[i + j * n + 1] * v[j];
        out[i] = sum;
    }
}
template <int n> __global__ void update(const float *series, float *result, int count) {
    float transition[n * n], state[n], next[n];
    int t = blockIdx.x * blockDim.x + threadIdx.x;
    if (t >= count) return;
    for (int i = 0; i < n * n; ++i) transition[i] = series[t] + i;
    for (int i = 0; i < n; ++i) state[i + 1] = series[t];
    multiply<n>(transition, state, next);
    result[t] = next[0];
}
int main() {
    float *series, *result;
    cudaMalloc(&series, 96 * sizeof(float));
    cudaMalloc(&result, 96 * sizeof(float));
    update<3><<<2, 64>>>(series, result, 96);
    return cudaDeviceSynchronize() != cudaSuccess;
}
