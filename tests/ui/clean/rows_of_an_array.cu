//@ decided
// Numbers are stored through the rows of an array that a loop fills with allocations. They change the rows, not the structure that
// the sizes are taken from, whatever the row.
#include <cstdlib>

struct Net { int inputs, hidden; float **weights, **before; };

static float **matrix(int rows, int columns) {
  float **m = (float **)malloc(rows * sizeof(float *));
  for (int i = 0; i < rows; i++) m[i] = (float *)malloc(columns * sizeof(float));
  return m;
}

static void clear(float **m, int rows, int columns) {
  for (int i = 0; i < rows; i++)
    for (int j = 0; j < columns; j++) m[i][j] = 0;
}

__global__ void adjust(float *weights, int hidden, int inputs) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < inputs) weights[i * hidden + threadIdx.y] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 100000) return 1;
  Net *net = (Net *)malloc(sizeof(Net));
  net->inputs = n;
  net->hidden = 16;
  net->weights = matrix(n, 16);
  net->before = matrix(n, 16);
  clear(net->weights, n, 16);
  clear(net->before, n, 16);
  float *weights;
  cudaMalloc(&weights, net->inputs * net->hidden * sizeof(float));
  adjust<<<(net->inputs + 15) / 16, dim3(16, 16)>>>(weights, net->hidden, net->inputs);
  cudaFree(weights);
}
