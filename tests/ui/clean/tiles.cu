// Tiles of a matrix that are exactly large enough, with sizes of the command line, of other shapes and types, and in shared memory.
//@ decided
#include <cstdlib>
#include <mma.h>
using namespace nvcuda;
__global__ void product(const half *a, const half *b, float *c, int n) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  for (int k = 0; k < n; k += 16) {
    wmma::load_matrix_sync(fa, a + blockIdx.y * 16 * n + k, n);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 16 * n + k, n);
    wmma::mma_sync(fc, fa, fb, fc);
  }
  wmma::store_matrix_sync(c + blockIdx.y * 16 * n + blockIdx.x * 16, fc, n, wmma::mem_row_major);
}
__global__ void bytes(const unsigned char *a, const unsigned char *b, int *c) {
  __shared__ unsigned char s[32 * 16];
  wmma::fragment<wmma::matrix_a, 32, 8, 16, unsigned char, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 32, 8, 16, unsigned char, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 32, 8, 16, int> fc;
  for (int i = threadIdx.x; i < 32 * 16; i += 32) s[i] = a[i];
  __syncthreads();
  wmma::load_matrix_sync(fc, c, 8, wmma::mem_row_major);
  wmma::load_matrix_sync(fa, s, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 8, wmma::mem_row_major);
}
int main(int argc, char **argv) {
  int n = 16 * atoi(argv[1]);
  if (n < 16 || n > 4096) return 1;
  half *a, *b; float *c;
  cudaMalloc(&a, n * n * sizeof(half));
  cudaMalloc(&b, n * n * sizeof(half));
  cudaMalloc(&c, n * n * sizeof(float));
  product<<<dim3(n / 16, n / 16), 32>>>(a, b, c, n);
  unsigned char *u; int *i;
  cudaMalloc(&u, 32 * 16);
  cudaMalloc(&i, 32 * 8 * sizeof(int));
  bytes<<<1, 32>>>(u, u, i);
  return cudaDeviceSynchronize();
}
