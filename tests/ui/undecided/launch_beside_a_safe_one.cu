// A launch whose accesses are safe only by a long proof says nothing about the launches beside it, which need another proof.
//@ undecided: 1
__global__ void fill(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}
int main() {
  int grid = 0, block = 0;
  cudaOccupancyMaxPotentialBlockSizeVariableSMem(&grid, &block, fill, [](int) { return 0; }, 160);
  float *x;
  int n = 1000000;
  cudaMalloc(&x, n * sizeof(float));
  fill<<<(n + block - 1) / block, block>>>(x, n);
  fill<<<(n + block - 1) / block, block>>>(x, n + 1);
}
