//@ snapshot
// Rows of a width that is no multiple of four, read as vectors; a wide type cut out of a buffer of bytes.
#include <cstdlib>

__global__ void add(float *row, int width) {
  float4 *v = reinterpret_cast<float4 *>(row + blockIdx.x * width);
  float4 x = v[threadIdx.x]; //~ misaligned proved
  row[0] = x.x;
}

extern __shared__ char buffer[];

__global__ void cut(int n, double *out) {
  int *first = (int *)buffer;
  double *second = (double *)(buffer + n * sizeof(int));
  first[threadIdx.x % n] = 1;
  second[threadIdx.x] = 2.0; //~ misaligned proved
  *out = second[0]; //~ misaligned proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int width = atoi(argv[1]);
  if (width < 4 || width > 1000) return 1;
  float *row;
  double *out;
  cudaMalloc(&row, 8 * width * sizeof(float));
  cudaMalloc(&out, sizeof(double));
  add<<<4, width / 4>>>(row, width);
  cut<<<1, 32, width * sizeof(int) + 32 * sizeof(double)>>>(width, out);
  return cudaDeviceSynchronize();
}
