// Rows of matrices that lanes of a warp name, in a tile of a larger block with four warps.
//@ flags: -arch=sm_90
//@ decided
__global__ void k(unsigned *c) {
  __shared__ __align__(16) unsigned short s[4][16 * 16];
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  for (int i = lane; i < 256; i += 32) s[warp][i] = 0;
  __syncthreads();
  unsigned row = (unsigned)__cvta_generic_to_shared(&s[warp][16 * (lane % 16) + 8 * (lane / 16)]);
  unsigned q[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(row));
  unsigned first = (unsigned)__cvta_generic_to_shared(&s[3][8 * 31]) - 16 * (31 - lane);
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(first), "r"(q[0]) : "memory");
  c[threadIdx.x] = q[0] + q[1] + q[2] + q[3];
}
int main() {
  unsigned *c;
  cudaMalloc(&c, 128 * sizeof(unsigned));
  k<<<1, 128>>>(c);
  return cudaDeviceSynchronize();
}
