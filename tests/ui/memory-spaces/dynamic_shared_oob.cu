// Shared memory whose size the launch gives: one element for each thread, and the last writes into one more.
__global__ void shift(int *out) {
  extern __shared__ int row[];
  row[threadIdx.x + 1] = threadIdx.x; //~ oob-shared proved
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x];
}

int main() {
  const int threads = 64;
  int *out;
  cudaMalloc(&out, threads * sizeof(int));
  shift<<<1, threads, threads * sizeof(int)>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
