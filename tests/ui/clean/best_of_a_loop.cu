//@ decided
// A block size that a loop on the host chooses among those it tries.
#include <cstdlib>

__global__ void fill(float *a) { a[threadIdx.x] = 0; }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  int best = 0, threads = 4, most = n < 256 ? n : 256;
  for (int t = 1; t <= most; ++t) {
    int score = (16384 / (t * 4 + 100)) * t;
    if (score > best) {
      best = score;
      threads = t;
    }
  }
  float *a;
  cudaMalloc(&a, 256 * sizeof(float));
  fill<<<1, threads>>>(a);
  return cudaDeviceSynchronize();
}
