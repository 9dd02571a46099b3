// Kernels that are captured, and what they find in memory when their graph is launched.
__constant__ int limit;
__global__ void ended_elsewhere(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void forked(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void cloned(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void at_index(int *a, const int *at) { a[*at] = 1; } //~ oob-global proved
__global__ void at_shared(int *a, const int *at) { a[*at] = 1; } //~ oob-global proved
__global__ void at_limit(int *a) { a[limit] = 1; } //~ oob-global proved
__global__ void later(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void updated(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void in_loop(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void into(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

__attribute__((noinline)) cudaGraphExec_t ended(cudaStream_t s) {
    cudaGraph_t graph;
    cudaGraphExec_t all;
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&all, graph, 0);
    return all;
}

void begin(cudaStream_t s) { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); }

int main() {
    int *a, *index, *shared, n = 64, in = 0, out = 64;
    cudaMalloc(&a, 64 * sizeof(int));
    cudaMalloc(&index, sizeof(int));
    cudaMallocManaged(&shared, sizeof(int));
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEvent_t first, second;
    cudaEventCreate(&first);
    cudaEventCreate(&second);
    cudaGraph_t graph, other, same;
    cudaGraphExec_t all;

    begin(s);
    ended_elsewhere<<<1, 128, 0, s>>>(a, 65);
    cudaGraphLaunch(ended(s), s);

    begin(s);
    cudaEventRecord(first, s);
    cudaStreamWaitEvent(t, first, 0);
    forked<<<1, 128, 0, t>>>(a, 65);
    cudaEventRecord(second, t);
    cudaStreamWaitEvent(s, second, 0);
    cudaGraphLaunch(ended(s), s);

    begin(s);
    cloned<<<1, 128, 0, s>>>(a, 65);
    cudaStreamEndCapture(s, &graph);
    cudaGraphClone(&other, graph);
    cudaGraphDestroy(graph);
    cudaGraphInstantiate(&all, other, 0);
    cudaGraphLaunch(all, s);

    // Contents change between the launches.
    cudaMemcpy(index, &in, sizeof(int), cudaMemcpyHostToDevice);
    *shared = 0;
    cudaMemcpyToSymbol(limit, &in, sizeof(int));
    begin(s);
    at_index<<<1, 1, 0, s>>>(a, index);
    at_shared<<<1, 1, 0, s>>>(a, shared);
    at_limit<<<1, 1, 0, s>>>(a);
    all = ended(s);
    cudaGraphLaunch(all, s);
    cudaDeviceSynchronize();
    cudaMemcpy(index, &out, sizeof(int), cudaMemcpyHostToDevice);
    *shared = 64;
    cudaMemcpyToSymbol(limit, &out, sizeof(int));
    cudaGraphLaunch(all, s);
    cudaDeviceSynchronize();

    // A copy that a graph does changes the host's memory.
    cudaMemset(a, 1, 64 * sizeof(int));
    begin(s);
    cudaMemcpyAsync(&n, a, sizeof(int), cudaMemcpyDeviceToHost, s);
    cudaGraphLaunch(ended(s), s);
    cudaStreamSynchronize(s);
    later<<<1, 128>>>(a, n);

    // An executable graph gets other work of the same kind.
    begin(s);
    updated<<<1, 128, 0, s>>>(a, 64);
    all = ended(s);
    begin(s);
    updated<<<1, 128, 0, s>>>(a, 65);
    cudaStreamEndCapture(s, &graph);
    cudaGraphExecUpdateResultInfo result;
    cudaGraphExecUpdate(all, graph, &result);
    cudaGraphLaunch(all, s);

    for (int i = 0; i < 4; i++) {
        begin(s);
        in_loop<<<1, 128, 0, s>>>(a, 62 + i);
        cudaGraphLaunch(ended(s), s);
    }

    cudaGraphCreate(&graph, 0);
    cudaStreamBeginCaptureToGraph(s, graph, nullptr, nullptr, 0, cudaStreamCaptureModeGlobal);
    into<<<1, 128, 0, s>>>(a, 65);
    cudaStreamEndCapture(s, &same);
    cudaGraphInstantiate(&all, graph, 0);
    cudaGraphLaunch(all, s);
    return cudaDeviceSynchronize();
}
