// The last thread of the block reads one element behind the tile.
//@ snapshot
__global__ void smooth(const float *in, float *out) {
  __shared__ float tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  out[i] = tile[threadIdx.x] + tile[threadIdx.x + 1]; //~ oob-shared proved
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 1024 * sizeof(float));
  smooth<<<8, 128>>>(in, out);
  return cudaDeviceSynchronize();
}
