// `<=` where `<` is meant: one thread is one element too far, and only where n is no multiple of the block.
#include <cstdlib>

__global__ void copy(const int *in, int *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) {
    int v = in[i]; //~ oob-global proved
    out[i] = v;    //~ oob-global proved
  }
}

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 100;
  if (n < 1) return 1;
  int *in, *out;
  cudaMalloc(&in, n * sizeof(int));
  cudaMalloc(&out, n * sizeof(int));
  copy<<<(n + 127) / 128, 128>>>(in, out, n);
  cudaFree(in);
  cudaFree(out);
  return cudaDeviceSynchronize();
}
