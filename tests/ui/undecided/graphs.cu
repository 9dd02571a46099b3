// Memory that a graph allocates and frees itself is not followed.
//@ undecided: 1
__global__ void fill(int *a) { a[threadIdx.x] = 1; }

int main() {
    int *a;
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraph_t graph;
    cudaGraphExec_t all;
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMallocAsync(&a, 64 * sizeof(int), s);
    fill<<<1, 64, 0, s>>>(a);
    cudaFreeAsync(a, s);
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&all, graph, 0);
    cudaGraphLaunch(all, s);
    return cudaDeviceSynchronize();
}
