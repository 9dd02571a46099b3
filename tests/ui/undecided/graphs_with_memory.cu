// Memory that a graph allocates and leaves to others, and a node that uses it without being behind its allocation.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

void left_to_others(int n, cudaStream_t stream) {
  float *p;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&p, n * sizeof(float), stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  scale<<<(n + 255) / 256, 256, 0, stream>>>(p, n);
  cudaGraphLaunch(executable, stream);
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 20) return 1;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  left_to_others(n, stream);
  cudaStreamSynchronize(stream);
}
