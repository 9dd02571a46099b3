// A hash adds up words of all rounds before, modulo 2^32, and looks up bytes of the result in a table: sums of hundreds of words
// are cut to their width, so that the rounds stay as short as the program has them.
#include <cstdint>

constexpr int kRounds = 240;

__device__ uint32_t rotated(uint32_t x, int by) { return x >> by | x << (32 - by); }

struct Hash { uint32_t a, b, c, d, e, f, g, h; };

// One round with the word w0; the sixteen words of the schedule move on by one.
template <int LEFT>
__device__ Hash rounds(Hash s, uint32_t w0, uint32_t w1, uint32_t w2, uint32_t w3, uint32_t w4, uint32_t w5, uint32_t w6, uint32_t w7) {
    if constexpr (LEFT == 0) {
        return s;
    } else {
        uint32_t s0 = rotated(w1, 7) ^ rotated(w1, 18) ^ w1 >> 3;
        uint32_t s1 = rotated(w6, 17) ^ rotated(w6, 19) ^ w6 >> 10;
        uint32_t w8 = w0 + s0 + w3 + s1;
        uint32_t one = s.h + (rotated(s.e, 6) ^ rotated(s.e, 11) ^ rotated(s.e, 25)) + ((s.e & s.f) ^ (~s.e & s.g)) + 0x428a2f98u * LEFT + w0;
        uint32_t two = (rotated(s.a, 2) ^ rotated(s.a, 13) ^ rotated(s.a, 22)) + ((s.a & s.b) ^ (s.a & s.c) ^ (s.b & s.c));
        return rounds<LEFT - 1>({one + two, s.a, s.b, s.c, s.d + one, s.e, s.f, s.g}, w1, w2, w3, w4, w5, w6, w7, w8);
    }
}

__global__ void digest(const uint32_t* words, const uint32_t* table, uint32_t* out, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const uint32_t* w = words + 8 * i;
    Hash s = {1, 2, 3, 4, 5, 6, 7, 8};
    s = rounds<kRounds>(s, w[0], w[1], w[2], w[3], w[4], w[5], w[6], w[7]);
    s = rounds<kRounds>(s, s.a, s.b, s.c, s.d, s.e, s.f, s.g, s.h);
    s = rounds<kRounds>(s, s.a, s.b, s.c, s.d, s.e, s.f, s.g, s.h);
    out[i] = table[s.a & 0xFF] ^ table[s.e >> 24];
}

int main() {
    const int n = 4096;
    uint32_t *words, *table, *out;
    cudaMalloc(&words, 8 * n * sizeof(uint32_t));
    cudaMalloc(&table, 256 * sizeof(uint32_t));
    cudaMalloc(&out, n * sizeof(uint32_t));
    digest<<<(n + 255) / 256, 256>>>(words, table, out, n);
    cudaDeviceSynchronize();
    return 0;
}
