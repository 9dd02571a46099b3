// The standard input is another file by the time that it is read: numbers given on it change nothing.
#include <cstdio>
#include <cuda_runtime.h>

__global__ void number(int *to, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) to[i] = i; //~ oob-global possible
}

int main(int argc, char **argv) {
  int items, room;
  if (argc < 2 || !freopen(argv[1], "r", stdin)) return 1;
  if (scanf("%d %d", &items, &room) != 2 || items < 1 || room < 1 || items > 100000 || room > 100000) return 1;
  int *to;
  cudaMalloc(&to, room * sizeof(int));
  number<<<(items + 127) / 128, 128>>>(to, items);
  return cudaDeviceSynchronize();
}
