//@ undecided: 3
// Tiles that a warp loads and stores are not followed: they count, though one lies beyond its array.
#include <mma.h>
using namespace nvcuda;
__global__ void tiles(const half *a, float *c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a + 4096, 16);
  wmma::load_matrix_sync(fb, a, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
int main() {
  half *a; float *c;
  cudaMalloc(&a, 256 * sizeof(half));
  cudaMalloc(&c, 256 * sizeof(float));
  tiles<<<1, 32>>>(a, c);
  return cudaDeviceSynchronize();
}
