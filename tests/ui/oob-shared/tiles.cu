// A tile in shared memory whose last line is beyond the array.
#include <mma.h>
using namespace nvcuda;
__global__ void tiles(float *c) {
  __shared__ half s[16 * 16];
  __shared__ float t[16 * 16];
  for (int i = threadIdx.x; i < 256; i += 32) s[i] = 0;
  __syncthreads();
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, s, 16);
  wmma::load_matrix_sync(fb, s, 24); //~ oob-shared proved
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(t + 4, fc, 16, wmma::mem_row_major); //~ oob-shared proved
  c[threadIdx.x] = t[threadIdx.x];
}
int main() {
  float *c;
  cudaMalloc(&c, 32 * sizeof(float));
  tiles<<<1, 32>>>(c);
  return cudaDeviceSynchronize();
}
