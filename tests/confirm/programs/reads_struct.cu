// A header and as many elements as it says, from a binary file that an argument names: there is room for what the header says.
#include <cstdio>
#include <cstdlib>
struct Header { int items; int room; };
__global__ void scale(float *to, const float *from, int items) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < items) to[i] = 2.0f * from[i];
}
int main(int argc, char **argv) {
  FILE *file = argc > 1 ? fopen(argv[1], "rb") : nullptr;
  Header header;
  if (!file || fread(&header, sizeof header, 1, file) != 1) return 1;
  if (header.items < 1 || header.items > 100000 || header.room < 1 || header.room > 100000) return 1;
  float *items = (float *)malloc(header.items * sizeof(float));
  if (fread(items, sizeof(float), header.items, file) != (size_t)header.items) return 1;
  fclose(file);
  float *from, *to;
  cudaMalloc(&from, header.items * sizeof(float));
  cudaMalloc(&to, header.room * sizeof(float));
  cudaMemcpy(from, items, header.items * sizeof(float), cudaMemcpyHostToDevice);
  scale<<<(header.items + 127) / 128, 128>>>(to, from, header.items);
  return cudaDeviceSynchronize();
}
