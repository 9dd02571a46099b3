//@ decided
// The twin of oob-shared/dynamic_too_small.cu.
__global__ void pairs(const float *in, float *out) {
  extern __shared__ float buffer[];
  int t = threadIdx.x;
  buffer[t] = in[t];
  buffer[blockDim.x + t] = 2 * in[t];
  __syncthreads();
  out[t] = buffer[t];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  pairs<<<1, 64, 2 * 64 * sizeof(float)>>>(in, out);
  return cudaDeviceSynchronize();
}
