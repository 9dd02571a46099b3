// A kernel of a graph that is built by node is launched with the arguments that it had when its node was made.
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a, n = 64;
  cudaMalloc(&a, 32 * sizeof(int));
  void *arguments[] = {&a, &n};
  cudaKernelNodeParams node = {};
  node.func = (void *)k;
  node.gridDim = dim3(1);
  node.blockDim = dim3(64);
  node.kernelParams = arguments;
  cudaGraph_t graph;
  cudaGraphCreate(&graph, 0);
  cudaGraphNode_t first;
  cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node);
  cudaGraphExec_t all;
  cudaGraphInstantiate(&all, graph, 0);
  cudaGraphLaunch(all, 0);
  k<<<1, 64>>>(a, 8);
  return cudaDeviceSynchronize();
}
