// A number of eight bits below a bound is not one thread alone: 150 to 200 of 256, four times.
#include <cstdlib>

__global__ void kept(int *out, int *cursor, int n) {
  unsigned char i = threadIdx.x;
  if (i < n) {
    int at = atomicAdd(cursor, 1);
    out[at] = 1; //~ oob-global proved
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 150 || n > 200) return 1;
  int *out, *cursor;
  cudaMalloc(&out, n * sizeof(int));
  cudaMalloc(&cursor, sizeof(int));
  cudaMemset(cursor, 0, sizeof(int));
  kept<<<1, 1024>>>(out, cursor, n);
  return cudaDeviceSynchronize();
}
