// Two parameters that are one array at one of many launches: what is read through the second was written through the
// first.
__global__ void both(int *p, int *q, int *a, int n) {
  if (threadIdx.x || blockIdx.x) return;
  q[0] = 1;
  p[0] = 100;
  a[q[0]] = n; //~ oob-global proved
}

int main() {
  int *p, *q, *a;
  cudaMalloc(&p, 4);
  cudaMalloc(&q, 4);
  cudaMalloc(&a, 8);
  for (int i = 0; i < 6; i++) both<<<1, 32>>>(p, q, a, i);
  both<<<1, 32>>>(p, p, a, 6);
  for (int i = 7; i < 12; i++) both<<<1, 32>>>(p, q, a, i);
  return cudaDeviceSynchronize();
}
