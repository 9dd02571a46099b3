// Nodes of graphs: what they are given when they are made, and what they are given later.
#define KERNEL(name) __global__ void name(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
KERNEL(again) //~ oob-global proved
KERNEL(set) //~ oob-global proved
KERNEL(set_before) //~ oob-global proved
KERNEL(any) //~ oob-global proved

cudaKernelNodeParams with(void (*f)(int *, int), void **arguments) {
    cudaKernelNodeParams node = {};
    node.func = (void *)f;
    node.gridDim = dim3(1);
    node.blockDim = dim3(128);
    node.kernelParams = arguments;
    return node;
}

int main() {
    int *a, *b, n = 64;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&b, 63 * sizeof(int));
    cudaGraphNode_t first, second;
    cudaGraph_t graph;
    cudaGraphExec_t all;
    void *arguments[] = {&a, &n};

    // The second node gets other memory through the same array.
    cudaKernelNodeParams node = with(again, arguments);
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node);
    arguments[0] = &b;
    cudaGraphAddKernelNode(&second, graph, &first, 1, &node);
    cudaGraphInstantiate(&all, graph, 0);
    cudaGraphLaunch(all, 0);

    node = with(set, arguments);
    arguments[0] = &a;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node);
    cudaGraphInstantiate(&all, graph, 0);
    n = 65;
    cudaGraphExecKernelNodeSetParams(all, first, &node);
    cudaGraphLaunch(all, 0);

    node = with(set_before, arguments);
    n = 64;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddKernelNode(&first, graph, nullptr, 0, &node);
    n = 65;
    cudaGraphKernelNodeSetParams(first, &node);
    cudaGraphInstantiate(&all, graph, 0);
    cudaGraphLaunch(all, 0);

    cudaGraphNodeParams of_any = {};
    of_any.type = cudaGraphNodeTypeKernel;
    of_any.kernel.func = (void *)any;
    of_any.kernel.gridDim = dim3(1);
    of_any.kernel.blockDim = dim3(128);
    of_any.kernel.kernelParams = arguments;
    cudaGraphCreate(&graph, 0);
    cudaGraphAddNode(&first, graph, nullptr, nullptr, 0, &of_any);
    cudaGraphInstantiate(&all, graph, 0);
    cudaGraphLaunch(all, 0);
    return cudaDeviceSynchronize();
}
