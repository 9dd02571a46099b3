//@ decided
// Loops that end when a pointer or a counter meets its end, as constructors of arrays do.
#include <cstdlib>

struct Pair { float a; int b; __device__ Pair() : a(0), b(1) {} };

__global__ void run(float *out, int n) {
  Pair pairs[6];
  float sum = 0;
  for (const Pair *p = pairs, *end = pairs + 6; p != end; ++p) sum += p->a;
  if (threadIdx.x == 0)
    for (float *p = out, *end = out + n; p != end; ++p) *p = sum;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  float *out;
  cudaMalloc(&out, n * sizeof(float));
  run<<<1, 32>>>(out, n);
  return cudaDeviceSynchronize();
}
