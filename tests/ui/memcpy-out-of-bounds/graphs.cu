// Copies and fills that a graph does.
int main() {
    int h[65] = {}, *a;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaStream_t s;
    cudaStreamCreate(&s);
    cudaGraphNode_t node;
    cudaGraph_t graph, captured;
    cudaGraphExec_t all;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddMemcpyNode1D(&node, graph, nullptr, 0, a, h, sizeof h, cudaMemcpyHostToDevice); //~ memcpy-out-of-bounds proved
    cudaMemsetParams rows = {};
    rows.dst = a;
    rows.elementSize = 4;
    rows.width = 65;
    rows.height = 1;
    cudaGraphAddMemsetNode(&node, graph, nullptr, 0, &rows); //~ memcpy-out-of-bounds proved
    cudaMemcpy3DParms volume = {};
    volume.srcPtr = make_cudaPitchedPtr(a, 128, 32, 3);
    volume.dstPtr = make_cudaPitchedPtr(h, 128, 32, 3);
    volume.extent = make_cudaExtent(128, 3, 1);
    volume.kind = cudaMemcpyDeviceToHost;
    cudaGraphAddMemcpyNode(&node, graph, nullptr, 0, &volume); //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved
    cudaGraphInstantiate(&all, graph, 0);
    cudaGraphLaunch(all, s);

    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaMemsetAsync(a, 0, 65 * sizeof(int), s); //~ memcpy-out-of-bounds proved
    cudaStreamEndCapture(s, &captured);
    cudaGraphInstantiate(&all, captured, 0);
    cudaGraphLaunch(all, s);
    return cudaDeviceSynchronize();
}
