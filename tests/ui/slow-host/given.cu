//@ decided
// What takes long gives back memory that it makes or a part of what it was given, and keeps it in a global. What it cannot reach is
// still known after its result was written through, and after it was handed on to more that takes long.
#include <cstdlib>
#include <cstring>
#include "part_slow.h"

typedef void (*Launch)(float *, int);

__global__ void front(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
__global__ void back(float *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[n - 1 - i] = 2; }

static void launch_front(float *a, int n) { front<<<(n + 255) / 256, 256>>>(a, n); }
static void launch_back(float *a, int n) { back<<<(n + 255) / 256, 256>>>(a, n); }

static Launch launchers[] = {launch_front, launch_back};
static unsigned *tables[4];

static unsigned *table_of(unsigned seed, int which) {
    if (tables[which % 4] == NULL) {
        tables[which % 4] = (unsigned *)malloc(64 * sizeof(unsigned));
        for (int i = 0; i < 64; i++) tables[which % 4][i] = slow(seed + i);
    }
    return tables[which % 4];
}

static unsigned *encoded(int which, unsigned *table) {
    unsigned *out = table == NULL ? table_of(1, which) : (unsigned *)calloc(64, sizeof(unsigned));
    if (out == NULL) exit(1);
    for (int i = 0; i < 64; i++) out[i] += slow(table[i]);
    return out;
}

int main(int argc, char **argv) {
    if (argc != 5) return 1;
    int n = atoi(argv[1]), which = atoi(argv[2]), tasks = atoi(argv[4]);
    if (n < 1 || n > 1 << 20 || which < 0 || tasks < 1 || tasks > 1000) return 1;
    int *sizes = (int *)malloc(sizeof(int));
    *sizes = n;
    Launch *launches = (Launch *)malloc(tasks * sizeof(Launch));
    for (int i = 0; i < tasks; i++) launches[i] = launchers[(which + rand()) % 2];
    unsigned *table = table_of(atoi(argv[3]), which);
    unsigned *column = encoded(which, table + 3);
    *column = 5;
    unsigned copy[16];
    memcpy(copy, column, sizeof copy);
    free(column);
    free(table);
    float *a;
    cudaMalloc(&a, *sizes * sizeof(float));
    for (int i = 0; i < tasks; i++) launches[i](a, *sizes);
    cudaFree(a);
    return 0;
}
