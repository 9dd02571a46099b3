// An option with two values, beside one with one: the example names all of them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>

__global__ void fill(float *a, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) a[i] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
    int rows = 32, columns = 1, layers = 4;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--plane") == 0) {
            rows = atoi(argv[++i]);
            columns = std::stoi(argv[++i]);
        } else if (strcmp(argv[i], "--layers") == 0) {
            layers = atoi(argv[++i]);
        } else {
            fprintf(stderr, "usage: fill [--plane ROWS COLUMNS] [--layers N]\n");
            return 1;
        }
    }
    if (rows < 1 || rows > 1000 || columns < 1 || columns > 64 || layers < 1 || layers > 100) return 1;
    float *a;
    cudaMalloc(&a, rows * columns * (layers > 50 && rows > 100 ? 1 : layers) * sizeof(float));
    fill<<<(rows * columns * layers + 255) / 256, 256>>>(a, rows * columns * layers);
    return cudaDeviceSynchronize();
}
