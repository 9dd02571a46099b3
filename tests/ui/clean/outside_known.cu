// Functions of known libraries call nothing of the program's that they are not given: what exported functions could set stays as it is.
//@ decided
#include <cstdio>
#include <cstdlib>
#include <functional>

static int chosen;
static int *buffer;

void choose(int i) { chosen = i; }

void drop() { cudaFree(buffer); }

__global__ void put(int *a, int i) { a[i] = 1; }

int main() {
    cudaMalloc(&buffer, 10 * sizeof(int));
    chosen = 3;
    printf("%d\n", chosen);
    std::function<int(int)> twice = [](int i) { return 2 * i; };
    put<<<1, 1>>>(buffer, chosen);
    put<<<1, 1>>>(buffer, twice(4) == 8 ? chosen : 9);
    cudaDeviceSynchronize();
    drop();
}
