//@ decided
// Copies of the first bytes of a text (`strndup`) are neither longer than was said nor than the text.
#include <cstdlib>
#include <cstring>

__global__ void behind(char *text, int at) { text[at + 1] = 0; } //~ oob-global proved
__global__ void cut(char *text, int at) { text[at] = 0; } //~ oob-global proved

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[2]);
    if (n < 0 || n > 100) return 1;
    // A text may be shorter than what is copied of it.
    char *given = strndup(argv[1], n), *copy;
    cudaMalloc(&copy, n + 1);
    cudaMemcpy(copy, given, n + 1, cudaMemcpyHostToDevice); //~ memcpy-out-of-bounds proved
    char *device, *small, *all;
    cudaMalloc(&device, 8);
    cudaMalloc(&small, 3);
    char *part = strndup("lengthy", 3), *whole = strndup("len", 30);
    cudaMemcpy(device, part, 5, cudaMemcpyHostToDevice); //~ memcpy-out-of-bounds proved
    cudaMemcpy(device, whole, 8, cudaMemcpyHostToDevice); //~ memcpy-out-of-bounds proved
    cut<<<1, 1>>>(small, (int)strlen(part));
    cudaMalloc(&all, strlen(whole) + 1);
    behind<<<1, 1>>>(all, (int)strlen(whole));
    return cudaDeviceSynchronize();
}
