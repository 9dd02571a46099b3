// Elements far behind in a table of structures are what the table says.
#include <cstring>
#include <cuda_runtime.h>

struct Entry { int first, count; };

#define TEN(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define DECADE(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define CENTURY(...) __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__, __VA_ARGS__
#define THOUSAND(...) CENTURY(DECADE(TEN(__VA_ARGS__)))
static const Entry table[] = {THOUSAND({0, 1}), THOUSAND({0, 2}), THOUSAND({0, 3}), THOUSAND({0, 4})};

__global__ void last(int *a, int count) { a[count] = 0; } //~ oob-global proved
__global__ void first(int *a, int count) { a[count - 4] = 0; }

int main(int argc, char **) {
    int *a;
    Entry part[50];
    memcpy(part, table + 3500, sizeof part);
    Entry e = part[argc % 50].first ? part[1] : part[7];
    cudaMalloc(&a, 4 * sizeof(int));
    last<<<1, 1>>>(a, e.count);
    first<<<1, 1>>>(a, e.count);
    return cudaDeviceSynchronize() != cudaSuccess;
}
