// A stream that does not wait for the default one writes before or after what that does: a launch of one thread, a fill.
//@ undecided: 2
__global__ void spoil(int *p, int v) { if (threadIdx.x == 0) *p = v; }
__global__ void fix(int *p) { *p = 0; }
__global__ void use_fixed(int *out, int i) { out[i] = 1; }
__global__ void use_filled(int *out, int i) { out[i] = 1; }

int main() {
  int *p, *out, h;
  cudaMalloc(&p, sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  spoil<<<1, 32, 0, s>>>(p, 100);
  fix<<<1, 1>>>(p);
  cudaMemcpy(&h, p, sizeof(int), cudaMemcpyDeviceToHost);
  use_fixed<<<1, 1>>>(out, h);
  spoil<<<1, 32, 0, s>>>(p, 100);
  cudaMemset(p, 0, sizeof(int));
  cudaMemcpy(&h, p, sizeof(int), cudaMemcpyDeviceToHost);
  use_filled<<<1, 1>>>(out, h);
  return cudaDeviceSynchronize();
}
