//@ flags: -rdc=true
//@ with: part_variables.cu
// What the device's variables hold at the start is not what they hold later: written by a round before, by their address, by one of two
// names, by code that gets the name, by another unit.
#include <cstdlib>
#include <cuda_runtime.h>

__device__ int by_round;
__device__ int by_address;
__device__ int by_choice, or_other;
__device__ int filled;
extern __device__ int shared_with_another;
static __device__ int of_each_unit = 0;

__global__ void use_round(int *out) { out[by_round] = 1; } //~ oob-global proved
__global__ void next_round() { by_round += 100; }
__global__ void use_address(int *out) { out[by_address] = 1; } //~ oob-global proved
__global__ void use_choice(int *out) { out[by_choice + or_other] = 1; } //~ oob-global proved
__global__ void use_filled(int *out) { out[filled] = 1; } //~ oob-global proved
__global__ void use_another(int *out) { out[shared_with_another] = 1; } //~ oob-global proved
__global__ void use_own(int *out) { out[of_each_unit] = 1; }

void fill_elsewhere();

int main(int argc, char **argv) {
    int *out, big = 1000, *p;
    cudaMalloc(&out, 4 * sizeof(int));
    cudaMemset(out, 0, 4 * sizeof(int));
    int rounds = argc > 1 ? atoi(argv[1]) : 2;
    for (int i = 0; i < rounds; i++) { use_round<<<1, 1>>>(out); next_round<<<1, 1>>>(); }
    cudaGetSymbolAddress((void **)&p, by_address);
    cudaMemcpy(p, &big, sizeof big, cudaMemcpyHostToDevice);
    use_address<<<1, 1>>>(out);
    cudaMemcpyToSymbol(rounds > 3 ? by_choice : or_other, &big, sizeof big);
    use_choice<<<1, 1>>>(out);
    cudaGetSymbolAddress((void **)&p, filled);
    cudaMemset(p, 1, sizeof(int));
    use_filled<<<1, 1>>>(out);
    fill_elsewhere();
    use_another<<<1, 1>>>(out);
    use_own<<<1, 1>>>(out);
    return cudaDeviceSynchronize() != cudaSuccess;
}
