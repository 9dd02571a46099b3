//@ decided
// Widths that are rejected, padded or rounded up, packed structures, and bytes that are copied rather than read.
#include <cstdlib>
#include <cstring>

__global__ void add(float *row, int width) {
  float4 *v = reinterpret_cast<float4 *>(row + blockIdx.x * width);
  float4 x = v[threadIdx.x];
  row[0] = x.x;
}

extern __shared__ char buffer[];

__global__ void cut(int n, double *out) {
  int *first = (int *)buffer;
  double *second = (double *)(buffer + (n + 1) / 2 * sizeof(double));
  first[threadIdx.x % n] = 1;
  second[threadIdx.x] = 2.0;
  *out = second[0];
}

struct __attribute__((packed)) Record { char tag; int value; };

__global__ void packed(Record *r, char *bytes, int *out) {
  r[threadIdx.x].value = 1;
  int v;
  memcpy(&v, bytes + 4 * threadIdx.x + 1, sizeof v);
  out[threadIdx.x] = v;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int width = atoi(argv[1]);
  if (width < 4 || width > 1000 || width % 4 != 0) return 1;
  float *row;
  double *out;
  Record *records;
  char *bytes;
  int *ints;
  cudaMalloc(&row, 8 * width * sizeof(float));
  cudaMalloc(&out, sizeof(double));
  cudaMalloc(&records, 32 * sizeof(Record));
  cudaMalloc(&bytes, 32 * 4 + 4);
  cudaMalloc(&ints, 32 * sizeof(int));
  add<<<4, width / 4>>>(row, width);
  cut<<<1, 32, (width + 1) / 2 * sizeof(double) + 32 * sizeof(double)>>>(width, out);
  packed<<<1, 32>>>(records, bytes, ints);
  return cudaDeviceSynchronize();
}
