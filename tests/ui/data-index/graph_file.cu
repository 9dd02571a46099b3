// A graph of compressed rows from a binary file: nothing looks at what the rows and neighbours say.
//@ decided
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void spread(const int *rows, const int *neighbours, int *marks, int nodes) {
  int node = blockIdx.x * blockDim.x + threadIdx.x;
  if (node < nodes) {
    for (int i = rows[node]; i < rows[node + 1]; i++) {
      int other = neighbours[i]; //~ data-index proved
      marks[other] = node; //~ data-index proved
    }
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  FILE *file = fopen(argv[1], "rb");
  if (file == nullptr) return 1;
  int sizes[2];
  if (fread(sizes, sizeof(int), 2, file) != 2) return 1;
  int nodes = sizes[0], edges = sizes[1];
  if (nodes < 1 || nodes > 100000 || edges < 1 || edges > 100000) return 1;
  int *rows = (int *)malloc((nodes + 1) * sizeof(int)), *neighbours = (int *)malloc(edges * sizeof(int));
  if (fread(rows, sizeof(int), nodes + 1, file) != (size_t)nodes + 1) return 1;
  if (fread(neighbours, sizeof(int), edges, file) != (size_t)edges) return 1;
  fclose(file);
  int *d_rows, *d_neighbours, *d_marks;
  cudaMalloc(&d_rows, (nodes + 1) * sizeof(int));
  cudaMalloc(&d_neighbours, edges * sizeof(int));
  cudaMalloc(&d_marks, nodes * sizeof(int));
  cudaMemcpy(d_rows, rows, (nodes + 1) * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemcpy(d_neighbours, neighbours, edges * sizeof(int), cudaMemcpyHostToDevice);
  cudaMemset(d_marks, 0, nodes * sizeof(int));
  spread<<<(nodes + 255) / 256, 256>>>(d_rows, d_neighbours, d_marks, nodes);
  cudaDeviceSynchronize();
  return 0;
}
