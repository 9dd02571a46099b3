// Static and dynamic shared memory together are more than a block has without the attribute, if the compiler keeps the static part.
//@ undecided: 1
extern __shared__ int tile[];
__global__ void fix(int *p) {
  __shared__ int s[8192];
  for (int i = 0; i < 8192; i++) s[i] = i;
  *p = s[0];
}
__global__ void use(int *out, const int *p) { out[*p] = 1; }

int main() {
  int *p, *out, h = 100;
  cudaMalloc(&p, sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemcpy(p, &h, sizeof(int), cudaMemcpyHostToDevice);
  fix<<<1, 1, 32 << 10>>>(p);
  use<<<1, 1>>>(out, p);
  return cudaDeviceSynchronize();
}
