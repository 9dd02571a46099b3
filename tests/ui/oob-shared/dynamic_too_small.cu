// The launch gives one float for each thread, the kernel uses two.
__global__ void pairs(const float *in, float *out) {
  extern __shared__ float buffer[];
  int t = threadIdx.x;
  buffer[t] = in[t];
  buffer[blockDim.x + t] = 2 * in[t]; //~ oob-shared proved
  __syncthreads();
  out[t] = buffer[t];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 64 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  pairs<<<1, 64, 64 * sizeof(float)>>>(in, out);
  return cudaDeviceSynchronize();
}
