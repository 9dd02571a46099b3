// A variable whose type is declared with less than its own alignment may lie at any address, unlike others of that size.
#include <cstdint>

typedef int Loose __attribute__((aligned(1)));

__global__ void write(float *p, int n) {
    int i = threadIdx.x;
    if (i < n) p[i] = 1.0f;  //~ oob-global possible
}

char before[3];
Loose loose = 3;

int main() {
    float *p;
    if (cudaMalloc(&p, 40) != cudaSuccess) return 1;
    write<<<1, 64>>>(p, reinterpret_cast<std::uintptr_t>(&loose) % 4 ? 11 : 10);
    cudaDeviceSynchronize();
}
