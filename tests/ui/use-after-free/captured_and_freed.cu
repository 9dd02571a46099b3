// A graph runs with the memory of its launch, which is gone.
__global__ void k(int *a) { a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaGraph_t graph;
  cudaGraphExec_t all;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  k<<<1, 64, 0, s>>>(a); //~ use-after-free proved
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&all, graph, 0);
  cudaFree(a);
  cudaGraphLaunch(all, s);
  return cudaDeviceSynchronize();
}
