// Rests on `pitches` in the lines that say so.
#include <cstdlib>
__global__ void k(char *copy, size_t pitch) {
  copy[2 * pitch + threadIdx.x] = 1;  //~
}
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int width = atoi(argv[1]);
  if (width < 100 || width > 1000) return 1;
  char *a, *copy;
  size_t pitch;
  if (cudaMallocPitch(&a, &pitch, width, 3) != cudaSuccess) return 1;
  if (cudaMalloc(&copy, 3 * (width + 512)) != cudaSuccess) return 1;
  k<<<1, 100>>>(copy, pitch);
}
