// Memory that a graph allocates and frees is gone behind the free, in the graph and outside of it.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

__global__ void shift(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] += 2.0f;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 20) return 1;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  float *p;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&p, n * sizeof(float), stream);
  cudaFreeAsync(p, stream);
  scale<<<(n + 255) / 256, 256, 0, stream>>>(p, n); //~ use-after-free proved
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
  cudaStreamSynchronize(stream);
  shift<<<(n + 255) / 256, 256, 0, stream>>>(p, n); //~ use-after-free proved
  cudaStreamSynchronize(stream);
}
