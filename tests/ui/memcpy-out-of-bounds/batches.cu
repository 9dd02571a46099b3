// Copies in a batch, and one with attributes (CUDA 13.2), as long as the arguments say.
#include <cstdlib>
#include <cuda_runtime.h>

extern "C" cudaError_t cudaMemcpyWithAttributesAsync(void *, const void *, size_t, cudaMemcpyAttributes *, cudaStream_t);

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  size_t bytes = n * sizeof(int);
  int *h = (int *)malloc(2 * bytes), *g = (int *)malloc(2 * bytes);
  int *a, *b;
  if (cudaMalloc(&a, bytes) || cudaMalloc(&b, bytes)) return 1;
  cudaStream_t stream;
  if (cudaStreamCreate(&stream)) return 1;
  cudaMemcpyAttributes how = {};
  how.srcAccessOrder = cudaMemcpySrcAccessOrderStream;
  void *to[] = {a, b};
  const void *from[] = {h, g};
  size_t sizes[] = {bytes, bytes + 1}, first = 0;
  cudaMemcpyBatchAsync(to, from, sizes, 2, &how, &first, 1, stream); //~ memcpy-out-of-bounds proved
  cudaMemcpyWithAttributesAsync(a, h, bytes + 4, &how, stream); //~ memcpy-out-of-bounds proved
  cudaStreamSynchronize(stream);
}
