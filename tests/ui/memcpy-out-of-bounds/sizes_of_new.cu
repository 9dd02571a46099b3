// Sizes that `new` computes, and copies on a path that depends on what a kernel wrote.
#include <cstdlib>

struct Sample { double x, y, z; };

__global__ void move(Sample *s, int n, int *moved) {
  if (threadIdx.x < n) { s[threadIdx.x].x += 1; *moved = 1; }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1024) return 1;
  Sample *h = new Sample[n], *d;
  int *moved, any = 0;
  cudaMalloc(&d, n * sizeof(Sample));
  cudaMalloc(&moved, sizeof(int));
  cudaMemcpy(d, h, n * sizeof(Sample), cudaMemcpyHostToDevice);
  move<<<1, 1024>>>(d, n, moved);
  cudaMemcpy(&any, moved, sizeof any, cudaMemcpyDeviceToHost);
  if (any) cudaMemcpy(h, d, (n + 1) * sizeof(Sample), cudaMemcpyDeviceToHost); //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved
  delete[] h;
  return 0;
}
