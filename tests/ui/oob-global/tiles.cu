// Tiles that a warp loads and stores: one begins beyond its array, one has a leading dimension for which the array is too small.
#include <mma.h>
using namespace nvcuda;
__global__ void tiles(const half *a, float *c, int ld) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::row_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::load_matrix_sync(fc, c + 1, 16, wmma::mem_row_major); //~ oob-global proved
  wmma::load_matrix_sync(fa, a + 4096, 16); //~ oob-global proved
  wmma::load_matrix_sync(fb, a, ld); //~ oob-global proved
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 20, wmma::mem_col_major); //~ oob-global proved
}
int main() {
  half *a; float *c;
  cudaMalloc(&a, 256 * sizeof(half));
  cudaMalloc(&c, 256 * sizeof(float));
  tiles<<<1, 32>>>(a, c, 17);
  return cudaDeviceSynchronize();
}
