// Bits of a word of a file, by thread, each with a word of the output. In oob-global/ the output is as long as the file.
//@ decided
//@ flags: -DWORDS=64
#include <cstdio>
#include <cstdlib>

__global__ void each_bit(const long *in, long *out) {
  if (in[0] >> threadIdx.x & 1) out[threadIdx.x] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  FILE *f = fopen(argv[1], "rb");
  if (!f) return 1;
  fseek(f, 0, SEEK_END);
  int n = ftell(f) / 8;
  fseek(f, 0, SEEK_SET);
  if (n < 1 || n > 64) return 1;
  long h[64], *in, *out;
  if (fread(h, 8, n, f) != (size_t)n) return 1;
  cudaMalloc(&in, 8 * n);
  cudaMalloc(&out, 8 * WORDS);
  cudaMemcpy(in, h, 8 * n, cudaMemcpyHostToDevice);
  each_bit<<<1, 64>>>(in, out);
  cudaDeviceSynchronize();
}
