//@ decided
// A table and a flag of the program that a loop is the first to look at, and does not change.
static int sizes[4] = {64, 128, 256, 512};
static int extra = 1;

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1.0f;
}

int main(int argc, char **) {
  for (int round = 0; round < argc; ++round) {
    int n = sizes[2] + extra;
    float *a;
    cudaMalloc(&a, 257 * sizeof(float));
    fill<<<(n + 127) / 128, 128>>>(a, n);
    cudaFree(a);
  }
  return cudaDeviceSynchronize();
}
