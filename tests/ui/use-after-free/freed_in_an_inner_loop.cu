// A loop frees a buffer and leaves only itself: the loop around it launches again.
#include <cstdlib>
__global__ void mark(int divisor, int *results) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i == 3) results[0] = divisor;
}

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
      cudaMemcpy(results, device, 4 * sizeof(int), cudaMemcpyDeviceToHost); //~ use-after-free proved
      if (results[0] > 0) {
        cudaFree(device);
        break;
      }
    }
  cudaFree(device); //~ double-free proved
  return 0;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  return behind_a_search(atoi(argv[1]));
}
