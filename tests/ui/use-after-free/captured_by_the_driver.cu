// A launch that the driver's functions capture runs when the graph is launched, after its memory is freed.
#include <cuda.h>
#include <cuda_runtime.h>

__global__ void write(float *p, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) p[i] = 1.0f;
}

int main() {
    int n = 1000;
    float *p;
    if (cudaMalloc(&p, n * sizeof(float)) != cudaSuccess) return 1;
    CUstream stream;
    CUgraph graph;
    CUgraphExec exec;
    if (cuStreamCreate(&stream, 0) || cuStreamBeginCapture(stream, CU_STREAM_CAPTURE_MODE_GLOBAL)) return 1;
    write<<<4, 256, 0, stream>>>(p, n); //~ use-after-free proved
    if (cuStreamEndCapture(stream, &graph) || cuGraphInstantiate(&exec, graph, 0)) return 1;
    cudaFree(p);
    cuGraphLaunch(exec, stream);
    cuStreamSynchronize(stream);
}
