// What is captured is not done: a graph that nobody launches does nothing.
//@ undecided: 1
__global__ void k(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 65, 0, s>>>(a);
  cudaStreamEndCapture(s, &graph);
  return cudaDeviceSynchronize();
}
