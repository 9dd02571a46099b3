// Graphs that are built node by node; what is given to a node may be used again once it is made.
//@ decided
__global__ void fill(int *a, int n) { int i = threadIdx.x; if (i < n) a[i] = 1; }

int main() {
    int n = 64, h[64] = {}, *a, *b;
    cudaMalloc(&a, sizeof h);
    cudaMalloc(&b, sizeof h / 2);
    cudaGraph_t graph, outer;
    cudaGraphCreate(&graph, 0);
    cudaGraphNode_t copy, zero, first, second, third, part, back;
    cudaGraphAddMemcpyNode1D(&copy, graph, nullptr, 0, a, h, sizeof h, cudaMemcpyHostToDevice);

    cudaMemsetParams whole = {};
    whole.dst = b;
    whole.elementSize = sizeof(int);
    whole.width = 32;
    whole.height = 1;
    cudaGraphAddMemsetNode(&zero, graph, &copy, 1, &whole);

    void *arguments[] = {&a, &n};
    cudaKernelNodeParams node = {};
    node.func = (void *)fill;
    node.gridDim = dim3(1);
    node.blockDim = dim3(128);
    node.kernelParams = arguments;
    cudaGraphAddKernelNode(&first, graph, &zero, 1, &node);
    arguments[0] = &b;
    n = 32;
    cudaGraphAddKernelNode(&second, graph, &first, 1, &node);
    n = 33;

    cudaGraphNodeParams any = {};
    any.type = cudaGraphNodeTypeKernel;
    any.kernel.func = (void *)fill;
    any.kernel.gridDim = dim3(1);
    any.kernel.blockDim = dim3(32);
    any.kernel.kernelParams = arguments;
    cudaGraphAddNode(&third, graph, &second, nullptr, 1, &any);

    cudaMemcpy3DParms volume = {};
    volume.srcPtr = make_cudaPitchedPtr(a, sizeof h, 64, 1);
    volume.dstPtr = make_cudaPitchedPtr(h, sizeof h, 64, 1);
    volume.extent = make_cudaExtent(sizeof h, 1, 1);
    volume.kind = cudaMemcpyDeviceToHost;
    cudaGraphAddMemcpyNode(&back, graph, &third, 1, &volume);

    cudaGraphCreate(&outer, 0);
    cudaGraphAddChildGraphNode(&part, outer, nullptr, 0, graph);
    cudaGraphExec_t all, other;
    cudaGraphInstantiate(&all, graph, 0);
    cudaGraphInstantiate(&other, outer, 0);
    cudaGraphLaunch(all, 0);
    cudaGraphLaunch(other, 0);
    cudaDeviceSynchronize();
    cudaFree(b);
    cudaFree(a);
}
