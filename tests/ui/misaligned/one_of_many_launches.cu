// One of many launches gets an address that is no multiple of 16 bytes.
__global__ void fill(float *p, int n) {
  if (threadIdx.x < n) ((float4 *)p)[threadIdx.x] = make_float4(0, 0, 0, 0); //~ misaligned proved
}

int main() {
  float *p;
  cudaMalloc(&p, 300 * sizeof(float));
  for (int i = 1; i < 7; i++) fill<<<1, 32>>>(p + 4 * i, i);
  fill<<<1, 32>>>(p + 1, 7);
  for (int i = 8; i < 12; i++) fill<<<1, 32>>>(p, i);
  return cudaDeviceSynchronize();
}
