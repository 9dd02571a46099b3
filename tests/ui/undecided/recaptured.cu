// A graph that is captured again (CUDA 13.3, which declares the function) is not followed by the replay: whether it is done is open.
struct cudaGraphRecaptureCallbackData;
extern "C" cudaError_t cudaStreamBeginRecaptureToGraph(cudaStream_t, cudaStreamCaptureMode, cudaGraph_t, cudaGraphRecaptureCallbackData *);
__global__ void k(int *a) { a[threadIdx.x] = 1; } //~ oob-global possible

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaStreamBeginRecaptureToGraph(s, cudaStreamCaptureModeGlobal, graph, nullptr);
  k<<<1, 65, 0, s>>>(a);
  cudaStreamEndCapture(s, &graph);
  return cudaDeviceSynchronize();
}
