// Memory that a graph allocates at each launch, and that the program, or another graph, frees behind it.
// No known device is of capability 7.1: no replay tells that the second free is none.
//@ undecided: 1
__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = i;
}
int main(int argc, char **argv) {
  int n = 1000, device = argc > 1 ? argc : 0, major = 0, minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  if (major * 10 + minor != 71) return 1;
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  cudaGraph_t graph, freeing;
  cudaGraphExec_t exec, free_exec;
  cudaGraphNode_t node, free_node;
  cudaGraphCreate(&graph, 0);
  cudaMemAllocNodeParams made = {};
  made.bytesize = n * sizeof(float);
  made.poolProps.allocType = cudaMemAllocationTypePinned;
  made.poolProps.location.type = cudaMemLocationTypeDevice;
  cudaGraphAddMemAllocNode(&node, graph, NULL, 0, &made);
  float *a = (float *)made.dptr, *host = new float[n];
  cudaGraphInstantiate(&exec, graph, NULL, NULL, 0);
  cudaGraphLaunch(exec, stream);
  fill<<<4, 256, 0, stream>>>(a, n);
  cudaStreamSynchronize(stream);
  cudaFree(a);
  cudaGraphLaunch(exec, stream);
  cudaMemcpyAsync(host, a, n * sizeof(float), cudaMemcpyDeviceToHost, stream);
  cudaFreeAsync(a, stream);
  cudaGraphCreate(&freeing, 0);
  cudaGraphAddMemFreeNode(&free_node, freeing, NULL, 0, a);
  cudaGraphInstantiate(&free_exec, freeing, NULL, NULL, 0);
  cudaGraphLaunch(exec, stream);
  fill<<<4, 256, 0, stream>>>(a, n);
  cudaGraphLaunch(free_exec, stream);
  cudaStreamSynchronize(stream);
}
