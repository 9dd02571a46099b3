//@ decided
// Places that counts of bits give, in arrays that are large enough.
__global__ void classes(const unsigned *in, const unsigned long long *wide, int *bins, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  atomicAdd(&bins[__popc(in[i])], 1);
  atomicAdd(&bins[__popcll(wide[i])], 1);
  atomicAdd(&bins[__clz(in[i])], 1);
  atomicAdd(&bins[__ffs(in[i])], 1);
}

int main() {
  int n = 1000, *bins;
  unsigned *in;
  unsigned long long *wide;
  cudaMalloc(&in, n * sizeof(unsigned));
  cudaMalloc(&wide, n * sizeof(unsigned long long));
  cudaMalloc(&bins, 65 * sizeof(int));
  classes<<<(n + 255) / 256, 256>>>(in, wide, bins, n);
  return cudaDeviceSynchronize();
}
