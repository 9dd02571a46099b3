// Places that `__byte_perm` and sums of absolute differences give, in arrays of which one is too small by one.
__global__ void places(const unsigned *in, int *bytes, int *pairs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bytes[__byte_perm(in[i], 0, 0x4442)] = 1;
  pairs[__byte_perm(threadIdx.x, 7, 0x5500)] = 1;
  bytes[__sad((int)(threadIdx.x & 127), -100, 29u)] = 1; //~ oob-global proved
  bytes[__usad(threadIdx.x & 127, 200u, 56u)] = 1; //~ oob-global proved
}

int main() {
  int n = 1000, *bytes, *pairs;
  unsigned *in;
  cudaMalloc(&in, n * sizeof(unsigned));
  cudaMalloc(&bytes, 256 * sizeof(int));
  cudaMalloc(&pairs, 65536 * sizeof(int));
  places<<<(n + 255) / 256, 256>>>(in, bytes, pairs, n);
  return cudaDeviceSynchronize();
}
