// Chained parts of dynamic shared memory; each thread is a section of its own.
#include <cstdlib>
template <typename T> __global__ void cascade(const T *coefficients, T *signal, int sections, int width) {
    extern __shared__ char room[];
    T *last = reinterpret_cast<T *>(room);
    T *state = reinterpret_cast<T *>(&last[sections]);
    T *factors = reinterpret_cast<T *>(&state[sections * width]);
    int t = threadIdx.x;
    last[t] = 0;
    for (int i = 0; i < width; ++i) state[t * width + i + 1] = 0;
    for (int i = 0; i < 4; ++i) factors[t * 4 + i] = coefficients[t * 4 + i];
    __syncthreads();
    last[t] = state[t * width] * factors[t * 4] + last[t + 1];
    signal[t] = last[t];
}
int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int sections = atoi(argv[1]), width = atoi(argv[2]);
    if (sections < 1 || sections > 128 || width < 1 || width > 8) return 1;
    float *coefficients, *signal;
    cudaMalloc(&coefficients, sections * 4 * sizeof(float));
    cudaMalloc(&signal, sections * sizeof(float));
    cascade<<<1, sections, (sections * (width + 5) + 8) * sizeof(float)>>>(coefficients, signal, sections, width);
    return cudaDeviceSynchronize() != cudaSuccess;
}
