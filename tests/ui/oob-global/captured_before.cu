// The launch that would set the index is captured, and the one that uses it is not.
__global__ void fix(int *p) { *p = 0; }
__global__ void use(int *out, const int *p) { out[*p] = 1; } //~ oob-global proved

int main() {
  int *p, *out, h = 100;
  cudaMalloc(&p, sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemcpy(p, &h, sizeof(int), cudaMemcpyHostToDevice);
  cudaStream_t s;
  cudaStreamCreate(&s);
  cudaGraph_t graph;
  cudaStreamBeginCapture(s, cudaStreamCaptureModeGlobal);
  fix<<<1, 1, 0, s>>>(p);
  cudaStreamEndCapture(s, &graph);
  use<<<1, 1>>>(out, p);
  return cudaDeviceSynchronize();
}
