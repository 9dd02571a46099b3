// A graph uses memory that was freed after its capture, or between its launches.
__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void follow(int **a) { (*a)[threadIdx.x] = 1; }
struct Part { int *at; };
__global__ void fill_part(Part p) { p.at[threadIdx.x] = 1; }

__attribute__((noinline)) cudaGraphExec_t ended(cudaStream_t s) {
    cudaGraph_t graph;
    cudaGraphExec_t all;
    cudaStreamEndCapture(s, &graph);
    cudaGraphInstantiate(&all, graph, 0);
    return all;
}

void begin(cudaStream_t s) { cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal); }

int main() {
    int *a, *b, *c, *d, h[64] = {};
    for (int **p : {&a, &b, &c, &d}) cudaMalloc(p, sizeof h);
    cudaStream_t s;
    cudaStreamCreate(&s);

    begin(s);
    fill<<<1, 64, 0, s>>>(a); //~ use-after-free proved
    cudaGraphExec_t between = ended(s);
    cudaGraphLaunch(between, s);
    cudaStreamSynchronize(s);
    cudaFree(a);
    cudaGraphLaunch(between, s);

    begin(s);
    {
        Part p{b};
        fill_part<<<1, 64, 0, s>>>(p); //~ use-after-free proved
    }
    cudaGraphExec_t part = ended(s);

    begin(s);
    cudaMemsetAsync(c, 0, sizeof h, s); //~ use-after-free proved
    cudaGraphExec_t copy = ended(s);

    begin(s);
    fill<<<1, 64, 0, s>>>(d);
    cudaGraphExec_t unused = ended(s);
    cudaGraphLaunch(unused, s);
    cudaStreamSynchronize(s);

    for (int *p : {b, c, d}) cudaFree(p);
    cudaGraphLaunch(part, s);
    cudaGraphLaunch(copy, s);
    return cudaDeviceSynchronize();
}
