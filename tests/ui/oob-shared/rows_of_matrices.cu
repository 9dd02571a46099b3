// Rows of matrices that lanes of a warp name: those of x1 are eight, of x4 all; a lane's row reaches beyond the array.
//@ flags: -arch=sm_90
__global__ void k(unsigned *c) {
  __shared__ unsigned short s[8 * 8];
  for (int i = threadIdx.x; i < 64; i += 32) s[i] = 0;
  __syncthreads();
  unsigned row = (unsigned)__cvta_generic_to_shared(&s[8 * threadIdx.x]);
  unsigned r, q[4];
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(r) : "r"(row));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1+16];" : "=r"(r) : "r"(row)); //~ oob-shared proved
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(q[0]), "=r"(q[1]), "=r"(q[2]), "=r"(q[3]) : "r"(row)); //~ oob-shared proved
  asm volatile("stmatrix.sync.aligned.m8n8.x1.shared.b16 [%0], {%1};" ::"r"(row), "r"(r) : "memory");
  asm volatile("stmatrix.sync.aligned.m8n8.x2.shared.b16 [%0], {%1, %2};" ::"r"(row), "r"(r), "r"(r) : "memory"); //~ oob-shared proved
  c[threadIdx.x] = r + q[0];
}
int main() {
  unsigned *c;
  cudaMalloc(&c, 32 * sizeof(unsigned));
  k<<<1, 32>>>(c);
  return cudaDeviceSynchronize();
}
