// A node that uses memory of its graph without being behind the node that allocates it.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 20) return 1;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaGraphNode_t memory, kernel, end;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams wanted = {};
  wanted.poolProps.allocType = cudaMemAllocationTypePinned;
  wanted.poolProps.location.type = cudaMemLocationTypeDevice;
  wanted.bytesize = n * sizeof(float);
  cudaGraphAddMemAllocNode(&memory, graph, nullptr, 0, &wanted);
  void *arguments[] = {&wanted.dptr, &n};
  cudaKernelNodeParams launch = {};
  launch.func = (void *)scale;
  launch.gridDim = dim3((n + 255) / 256);
  launch.blockDim = dim3(256);
  launch.kernelParams = arguments;
  cudaGraphAddKernelNode(&kernel, graph, nullptr, 0, &launch);
  cudaGraphAddMemFreeNode(&end, graph, &memory, 1, wanted.dptr);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, 0);
  cudaDeviceSynchronize();
}
