// Captured work runs at each launch of its graph, with the arguments that it was captured with.
//@ decided
struct Range { int *at; int n; };

__global__ void fill(int *a, int n) { int i = blockIdx.x * blockDim.x + threadIdx.x; if (i < n) a[i] = 1; }
__global__ void fill_range(Range r) { int i = threadIdx.x; if (i < r.n) r.at[i] = 1; }

__attribute__((noinline)) cudaGraphExec_t ended(cudaStream_t s) {
    cudaGraph_t graph;
    cudaGraphExec_t all;
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&all, graph, 0);
    return all;
}

int main(int argc, char **argv) {
    int n = argc * 64, *a, *b;
    cudaMalloc(&a, n * sizeof(int));
    cudaMalloc(&b, n * sizeof(int));
    cudaStream_t s, t;
    cudaStreamCreate(&s);
    cudaStreamCreate(&t);
    cudaEvent_t forked, joined;
    cudaEventCreate(&forked);
    cudaEventCreate(&joined);

    // The capture is ended in another function; a second stream takes part.
    cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
    cudaEventRecord(forked, s);
    cudaStreamWaitEvent(t, forked, 0);
    fill<<<argc, 64, 0, s>>>(a, n);
    {
        Range r{b, n};
        fill_range<<<1, 64, 0, t>>>(r);
        r.n = n + 1;
    }
    cudaMemsetAsync(b, 0, n * sizeof(int), s);
    cudaEventRecord(joined, t);
    cudaStreamWaitEvent(s, joined, 0);
    cudaGraphExec_t both = ended(s);
    cudaGraphLaunch(both, s);
    cudaGraphLaunch(both, s);
    cudaStreamSynchronize(s);

    // The first iteration captures, and each launches.
    cudaGraphExec_t once = nullptr;
    for (int i = 0; i < 10; i++) {
        if (!once) {
            cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
            fill<<<argc, 64, 0, s>>>(b, n);
            once = ended(s);
        }
        cudaGraphLaunch(once, s);
    }
    cudaStreamSynchronize(s);

    // Each iteration has a graph of its own.
    for (int i = 0; i < 4; i++) {
        cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
        fill<<<argc, 64, 0, s>>>(a + i, n - i);
        cudaGraphExec_t one = ended(s);
        cudaGraphLaunch(one, s);
        cudaStreamSynchronize(s);
        cudaGraphExecDestroy(one);
    }
    cudaFree(a);
    cudaFree(b);
}
