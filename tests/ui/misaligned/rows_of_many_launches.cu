// Rows as vectors in many launches: those of one have a length that is no multiple of four, though its first row is aligned.
__global__ void fill(float *p, int d) {
  ((float4 *)(p + blockIdx.x * d))[threadIdx.x] = make_float4(0, 0, 0, 0); //~ misaligned proved
}

int main() {
  float *p;
  cudaMalloc(&p, 4096 * sizeof(float));
  for (int i = 1; i < 7; i++) fill<<<1, 4>>>(p, 17 * i);
  fill<<<2, 4>>>(p, 17);
  for (int i = 1; i < 5; i++) fill<<<2, 4>>>(p, 16 * i);
  return cudaDeviceSynchronize();
}
