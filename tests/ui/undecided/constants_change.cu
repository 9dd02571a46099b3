// The host changes a constant variable while a kernel may still run that reads it: `first` in a stream that does not wait, `second` by a
// copy that does not.
//@ undecided: 2
__constant__ int first, second;
__global__ void use_first(int *out) { out[first] = 1; }
__global__ void use_second(int *out) { out[second] = 1; }

int main() {
  int *out, zero = 0, big = 100;
  cudaMalloc(&out, 64 * sizeof(int));
  cudaStream_t s, t;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  cudaStreamCreate(&t);
  cudaMemcpyToSymbol(first, &zero, sizeof(int));
  cudaMemcpyToSymbol(second, &zero, sizeof(int));
  use_first<<<1, 1, 0, s>>>(out);
  cudaMemcpyToSymbol(first, &big, sizeof(int));
  use_second<<<1, 1, 0, t>>>(out);
  cudaMemcpyToSymbolAsync(second, &big, sizeof(int), 0, cudaMemcpyHostToDevice, s);
  return cudaDeviceSynchronize();
}
