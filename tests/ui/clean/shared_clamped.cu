//@ decided
// The twin of oob-shared/neighbour.cu: the last thread uses its own element.
__global__ void smooth(const float *in, float *out) {
  __shared__ float tile[128];
  int i = blockIdx.x * 128 + threadIdx.x;
  tile[threadIdx.x] = in[i];
  __syncthreads();
  int right = threadIdx.x + 1 < 128 ? threadIdx.x + 1 : 127;
  out[i] = tile[threadIdx.x] + tile[right];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 1024 * sizeof(float));
  smooth<<<8, 128>>>(in, out);
  return cudaDeviceSynchronize();
}
