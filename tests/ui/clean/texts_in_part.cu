//@ decided
// Copies of the first bytes of a text (`strndup`): as long as the text where it ends before, else as long as was said, and a NUL.
#include <cstdlib>
#include <cstring>

__global__ void last(char *text, int at) { text[at] = 0; }

int main(int argc, char **argv) {
    if (argc < 3) return 1;
    int n = atoi(argv[2]);
    if (n < 0 || n > 100) return 1;
    char *device;
    cudaMalloc(&device, 4);
    char *part = strndup("lengthy", 3), *whole = strndup("len", 30);
    cudaMemcpy(device, part, 4, cudaMemcpyHostToDevice);
    last<<<1, 1>>>(device, (int)strlen(part));
    cudaMemcpy(device, whole, 4, cudaMemcpyHostToDevice);
    last<<<1, 1>>>(device, (int)strlen(whole));
    // What it copies need not end.
    char letters[3] = {'l', 'e', 'n'};
    char *first = strndup(letters, 2);
    cudaMemcpy(device, first, 1, cudaMemcpyHostToDevice);
    if (strlen(argv[1]) < (size_t)n) return 1;
    char *given = strndup(argv[1], n), *all;
    cudaMalloc(&all, n + 1);
    cudaMemcpy(all, given, n + 1, cudaMemcpyHostToDevice);
    last<<<1, 1>>>(all, n);
    free(part), free(whole), free(first), free(given);
    return cudaDeviceSynchronize();
}
