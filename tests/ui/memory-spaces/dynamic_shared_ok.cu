// The twin of dynamic_shared_oob.cu: the launch asks for the one element more.
__global__ void shift(int *out) {
  extern __shared__ int row[];
  row[threadIdx.x + 1] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x];
}

int main() {
  const int threads = 64;
  int *out;
  cudaMalloc(&out, threads * sizeof(int));
  shift<<<1, threads, (threads + 1) * sizeof(int)>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
