// A word of a file decides whether an element is written, not which one: the index is at fault, not the data.
#include <cstdio>
#include <cstdlib>

__global__ void mark(const int *words, int *marks, int n) {
  for (int i = 0; i < n; i++)
    if (words[i] > 0) marks[i] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  FILE *f = fopen(argv[1], "rb");
  if (!f) return 1;
  int n = 64;
  int *words = (int *)malloc(n * sizeof(int));
  if (fread(words, sizeof(int), n, f) != n) return 1;
  int *d, *marks;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&marks, (n - 1) * sizeof(int));
  cudaMemcpy(d, words, n * sizeof(int), cudaMemcpyHostToDevice);
  mark<<<1, 1>>>(d, marks, n);
  return cudaDeviceSynchronize();
}
