// Integers of 128 bits whose upper bits are asked: complements, products and shifts that leave 127 bits.
#include <cstdlib>

__global__ void at(int *a, int i) { a[i] = 1; } //~ oob-global proved

int main(int argc, char **argv) {
    if (argc < 2) return 1;
    int n = atoi(argv[1]);
    if (n < 1 || n > 50) return 1;
    int *a;
    cudaMalloc(&a, 10 * sizeof(int));
    unsigned __int128 x = (unsigned)n;
    at<<<1, 1>>>(a, ~x > x ? 10 : 3);
    unsigned __int128 high = x << 127;
    at<<<1, 1>>>(a, high >> 127 ? 11 : 3);
    unsigned __int128 square = (x << 64) * (x << 64);
    at<<<1, 1>>>(a, square == 0 ? 12 : 3);
    cudaDeviceSynchronize();
}
