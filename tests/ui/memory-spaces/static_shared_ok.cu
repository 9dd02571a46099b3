// The twin of static_shared_oob.cu that stays inside.
constexpr int kThreads = 128;

__global__ void rotate(int *out) {
  __shared__ int row[kThreads];
  row[(threadIdx.x + 1) % kThreads] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = row[threadIdx.x];
}

int main() {
  int *out;
  cudaMalloc(&out, kThreads * sizeof(int));
  rotate<<<1, kThreads>>>(out);
  cudaDeviceSynchronize();
  cudaFree(out);
}
