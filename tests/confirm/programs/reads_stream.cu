// As reads_scanf.cu, from a text file whose name the program knows.
#include <fstream>
__global__ void number(int *to, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) to[i] = i;
}
int main() {
  std::ifstream file("data/sizes.txt");
  if (!file.is_open()) return 1;
  int items, room;
  file >> items >> room;
  if (!file || items < 1 || room < 1 || items > 1000000 || room > 1000000) return 1;
  int *to;
  cudaMalloc(&to, room * sizeof(int));
  number<<<(items + 127) / 128, 128>>>(to, items);
  return cudaDeviceSynchronize();
}
