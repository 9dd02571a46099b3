//@ snapshot
// How many arguments there are decides, not what they say.
__global__ void fill(float *a, int n) {
  int i = threadIdx.x;
  if (i < n) a[i] = 1.0f; //~ oob-global proved
}

static void run(int n) {
  float *a;
  cudaMalloc(&a, 32 * sizeof(float));
  fill<<<1, 64>>>(a, n);
  cudaFree(a);
}

int main(int argc, char **) { run(argc > 1 ? 40 : 8); }
