//@ decided
// Places that `__byte_perm` and sums of absolute differences give, in arrays that are large enough.
__global__ void places(const unsigned *in, int *bytes, int *pairs, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  bytes[__byte_perm(in[i], 0, 0x4442)] = 1;  // byte 2, and three of the second number
  pairs[__byte_perm(in[i], 7, 0x5503)] = 1;  // byte 3, byte 0, and twice byte 1 of 7
  bytes[__sad((int)(in[i] & 127), -100, 28u)] = 1;
  bytes[__usad(in[i] & 127, 200u, 55u)] = 1;
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
