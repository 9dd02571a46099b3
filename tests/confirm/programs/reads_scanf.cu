// How many items there are and how many there is room for: numbers of the standard input.
#include <cstdio>
__global__ void number(int *to, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) to[i] = i;
}
int main() {
  int items, room;
  if (scanf("%d %d", &items, &room) != 2 || items < 1 || room < 1 || items > 1000000 || room > 1000000) return 1;
  int *to;
  cudaMalloc(&to, room * sizeof(int));
  number<<<(items + 127) / 128, 128>>>(to, items);
  return cudaDeviceSynchronize();
}
