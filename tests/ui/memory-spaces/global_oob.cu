// Global memory, whatever the input: the last thread writes one element past the end.
constexpr int kCount = 512;

__global__ void ramp(int *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i + 1] = i; //~ oob-global proved
}

int main() {
  int *values;
  cudaMalloc(&values, kCount * sizeof(int));
  ramp<<<kCount / 128, 128>>>(values);
  cudaDeviceSynchronize();
  cudaFree(values);
}
