// Memory that a graph allocates and frees at each of its launches: captured in stream order, and by nodes.
//@ decided
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

void captured(int n, cudaStream_t stream) {
  float *p;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(stream, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&p, n * sizeof(float), stream);
  cudaMemsetAsync(p, 0, n * sizeof(float), stream);
  scale<<<(n + 255) / 256, 256, 0, stream>>>(p, n);
  cudaFreeAsync(p, stream);
  cudaStreamEndCapture(stream, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  for (int i = 0; i < 10; ++i) cudaGraphLaunch(executable, stream);
}

void by_node(int n, cudaStream_t stream) {
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t memory, kernel, end;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams wanted = {};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location.type = cudaMemLocationTypeDevice;
  wanted.bytesize = n * sizeof(float);
  cudaGraphAddMemAllocNode(&memory, graph, nullptr, 0, &wanted);
  float *p = (float *)wanted.dptr;
  void *arguments[] = {&p, &n};
  cudaKernelNodeParams launch = {};
  launch.func = (void *)scale;
  launch.gridDim = dim3((n + 255) / 256);
  launch.blockDim = dim3(256);
  launch.kernelParams = arguments;
  cudaGraphAddKernelNode(&kernel, graph, &memory, 1, &launch);
  cudaGraphAddMemFreeNode(&end, graph, &kernel, 1, p);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, stream);
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 20) return 1;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  captured(n, stream);
  by_node(n, stream);
  cudaStreamSynchronize(stream);
}
