// The argument of the option may be left out; what is taken then is one too many.
#include <cstdlib>
#include <unistd.h>
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f; //~ oob-global proved
}

int main(int argc, char **argv) {
  int opt, n = 128;
  while ((opt = getopt(argc, argv, "n::")) != -1) {
    if (opt == 'n') n = optarg ? atoi(optarg) : 129;
  }
  if (n < 0 || (n > 128 && n != 129)) return 1;
  float *a;
  cudaMalloc(&a, 128 * sizeof(float));
  fill<<<2, 128>>>(a, n);
  return cudaDeviceSynchronize();
}
