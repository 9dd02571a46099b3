// A block with a variable of its own frees a buffer, and the loop goes on: the next iteration uses it.
//@ undecided: 1
#include <cstdlib>
__global__ void mark(int divisor, int *results) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % divisor == 3) results[1] = i;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int count = atoi(argv[1]), *device;
  cudaMalloc(&device, 4 * sizeof(int));
  for (int d = 1; d < count; ++d)
    for (int sign = 1; sign >= -1; sign -= 2) {
      int divisor = d * sign;
      mark<<<40, 256>>>(divisor, device);
      if (divisor == -4) {
        cudaFree(device);
        if (count < 3) return 1;
      }
    }
  return 0;
}
