// Memory that a graph allocates at each launch, and that the program frees behind it.
//@ undecided: 1
#include <cstdio>
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}
int main() {
  int n = 1000;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  float *a;
  cudaMallocAsync((void **)&a, n * sizeof(float), stream);
  fill<<<4, 256, 0, stream>>>(a, n);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
  cudaGraphLaunch(exec, stream);
  fill<<<4, 256, 0, stream>>>(a, n);
  cudaStreamSynchronize(stream);
  cudaFree(a);
  cudaGraphLaunch(exec, stream);
  fill<<<4, 256, 0, stream>>>(a, n);
  cudaFreeAsync(a, stream);
  cudaStreamSynchronize(stream);
}
