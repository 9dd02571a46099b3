// A shared array of fixed size: the last thread writes behind it, where no tool that watches a run sees it.
constexpr int kThreads = 128;

__global__ void rotate(int *out) {
  __shared__ int row[kThreads];
  row[threadIdx.x + 1] = threadIdx.x; //~ oob-shared proved
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
