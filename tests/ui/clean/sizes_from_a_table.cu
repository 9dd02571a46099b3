//@ decided
// Block sizes from a table of the host's: each launch has memory for the block that it launches.
__global__ void twice(const float *in, float *out) {
  extern __shared__ float shared[];
  int warp = threadIdx.x / 32, warps = blockDim.x / 32;
  float *first = shared;
  float *second = &shared[warps];
  if (threadIdx.x % 32 == 0) {
    first[warp] = in[threadIdx.x];
    second[warp] = -in[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = first[warp] + second[warps - 1];
}

int main() {
  float *in, *out;
  int sizes[] = {32, 64, 128, 1024, 512};
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 1024 * sizeof(float));
  for (int i = 0; i < 5; i++) twice<<<1, sizes[i], 2 * sizes[i] / 32 * sizeof(float)>>>(in, out);
  return cudaDeviceSynchronize();
}
