// The twin of global_oob.cu that stays inside.
constexpr int kCount = 512;

__global__ void ramp(int *values) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  values[i] = i;
}

int main() {
  int *values;
  cudaMalloc(&values, kCount * sizeof(int));
  ramp<<<kCount / 128, 128>>>(values);
  cudaDeviceSynchronize();
  cudaFree(values);
}
