//@ decided
// A structure that is read whole: what is named is where it comes from.
__global__ void move(float4 *to, const float4 *from, int n) {
  float4 x = from[threadIdx.x]; //~ oob-global proved
  if (threadIdx.x < n) to[threadIdx.x] = x;
}

int main() {
  float4 *to, *from;
  cudaMalloc(&to, 16 * sizeof(float4));
  cudaMalloc(&from, 16 * sizeof(float4));
  move<<<1, 32>>>(to, from, 16);
  return cudaDeviceSynchronize();
}
