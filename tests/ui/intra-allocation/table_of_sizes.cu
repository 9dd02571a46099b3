// Where the second part begins comes from a table of the host's, in a loop.
__global__ void sums(const float *in, float *out) {
  extern __shared__ float shared[];
  int warps = blockDim.x / 32, warp = threadIdx.x / 32;
  float *largest = shared;
  float *sum = &shared[warps];
  if (threadIdx.x % 32 == 0) {
    largest[warp + 1] = in[threadIdx.x]; //~ intra-allocation proved
    sum[warp] = -in[threadIdx.x];
  }
  __syncthreads();
  out[threadIdx.x] = largest[0] + sum[warp - 1]; //~ intra-allocation proved
}

int main() {
  float *in, *out;
  int sizes[] = {32, 64, 128, 1024, 512};
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 1024 * sizeof(float));
  for (int i = 0; i < 5; i++) sums<<<1, sizes[i], 2 * sizes[i] / 32 * sizeof(float)>>>(in, out);
  return cudaDeviceSynchronize();
}
