//@ undecided: 1
// Two branches of a captured graph: one uses what the other one frees.
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void twice(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 2 || n > 4096) return 1;
  cudaStream_t s, other;
  cudaStreamCreate(&s);
  cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking);
  cudaEvent_t e, f;
  cudaEventCreate(&e);
  cudaEventCreate(&f);
  float *p;
  int grid = (n + 63) / 64;
  cudaGraph_t graph;
  cudaGraphExec_t executable;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  cudaMallocAsync(&p, n * sizeof(float), s);
  cudaEventRecord(e, s);
  cudaStreamWaitEvent(other, e, 0);
  twice<<<grid, 64, 0, other>>>(p, n);
  cudaFreeAsync(p, s);
  cudaEventRecord(f, other);
  cudaStreamWaitEvent(s, f, 0);
  cudaStreamEndCapture(s, &graph);
  cudaGraphInstantiate(&executable, graph, 0);
  cudaGraphLaunch(executable, s);
  return cudaDeviceSynchronize();
}
