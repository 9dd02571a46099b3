// Blocks with variables of their own join where they end, also the paths that free a buffer and leave the function: what comes back to
// the loop has freed nothing.
//@ decided
#include <cstdlib>
__global__ void mark(int divisor, int *results) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i % divisor == 3) results[1] = i;
}

int of_two_signs(int count) {
  int results[4], *device;
  cudaMalloc(&device, 4 * sizeof(int));
  for (int d = 1; d < count; ++d)
    for (int sign = 1; sign >= -1; sign -= 2) {
      int divisor = d * sign;
      mark<<<40, 256>>>(divisor, device);
      cudaMemcpy(results, device, 4 * sizeof(int), cudaMemcpyDeviceToHost);
      if (results[0] > 0) {
        cudaFree(device);
        return 1;
      }
    }
  cudaFree(device);
  return 0;
}

// The same with blocks in blocks, and another buffer that is exchanged for the first.
int of_blocks(int count) {
  int results[4], *device, *other;
  cudaMalloc(&device, 4 * sizeof(int));
  cudaMalloc(&other, 4 * sizeof(int));
  for (int d = 1; d < count; ++d) {
    {
      int divisor = d * 2;
      mark<<<40, 256>>>(divisor, device);
      cudaMemcpy(results, device, 4 * sizeof(int), cudaMemcpyDeviceToHost);
      if (results[0] > divisor) {
        int status = results[2];
        cudaFree(other);
        cudaFree(device);
        return status;
      }
    }
    int *before = device;
    device = other;
    other = before;
  }
  cudaFree(device);
  cudaFree(other);
  return 0;
}

// A loop before the test joins paths as well: what comes back follows from several of its conditions together.
int behind_a_search(int count) {
  int results[4], *device;
  cudaMalloc(&device, 4 * sizeof(int));
  for (int d = 1; d < count; ++d)
    for (int sign = 1; sign >= -1; sign -= 2) {
      unsigned q = d * sign, r = 7, steps = 0;
      do {
        ++steps;
        r = r >= q ? r - q : 2 * r + 1;
      } while (q < r);
      mark<<<40, 256>>>(steps, device);
      cudaMemcpy(results, device, 4 * sizeof(int), cudaMemcpyDeviceToHost);
      if (results[0] > 0) {
        cudaFree(device);
        return 1;
      }
    }
  cudaFree(device);
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  return of_two_signs(atoi(argv[1])) + of_blocks(atoi(argv[1])) + behind_a_search(atoi(argv[1]));
}
