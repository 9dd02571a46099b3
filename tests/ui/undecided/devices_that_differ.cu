// Each query of a device that is not known, and of free memory, may give something else.
//@ undecided: 2
__global__ void each(int *x) { x[blockIdx.x] = 1; }
__global__ void later(char *x, size_t n) {
  size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;  //~ oob-global possible
}
__global__ void sized(int *x) { x[threadIdx.x] = 1; }
int main(int argc, char **argv) {
  int count;
  cudaGetDeviceCount(&count);
  int *x = nullptr;
  for (int d = 0; d < count; ++d) {
    int n;
    cudaDeviceGetAttribute(&n, cudaDevAttrMultiProcessorCount, d);
    if (x) each<<<n, 1>>>(x);
    cudaMalloc(&x, n * sizeof(int));
  }
  size_t before, after, total;
  cudaMemGetInfo(&before, &total);
  char *y;
  cudaMalloc(&y, before / 2);
  cudaMemGetInfo(&after, &total);
  later<<<(after / 2 + 255) / 256, 256>>>(y, after / 2);
  int grid, block;
  cudaOccupancyMaxPotentialBlockSize(&grid, &block, sized);
  int *z;
  cudaMalloc(&z, 1023 * sizeof(int));
  sized<<<1, block>>>(z);
}
