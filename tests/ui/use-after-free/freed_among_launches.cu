// One of many launches gets memory that was freed.
__global__ void fill(int *p, int n) {
  if (threadIdx.x < n) p[threadIdx.x] = n;
}

int main(int argc, char **argv) {
  int *p, *q;
  cudaMalloc(&p, 32 * sizeof(int));
  cudaMalloc(&q, 32 * sizeof(int));
  for (int i = 0; i < 6; i++) fill<<<1, 32>>>(i % 2 ? p : q, i);
  cudaFree(q);
  if (argc > 3) fill<<<1, 32>>>(q, 6); //~ use-after-free proved
  for (int i = 7; i < 12; i++) fill<<<1, 32>>>(p, i);
  return cudaDeviceSynchronize();
}
