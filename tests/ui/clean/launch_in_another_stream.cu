//@ decided
// The stream was waited for: what the host stores then stays.
__global__ void k(int *p, long n) { long i = threadIdx.x; if (i < n) p[i] = 1; }
__global__ void set(int *m) { *m = 64; }
int main() {
  int *m;
  cudaMallocManaged(&m, 4);
  cudaStream_t s;
  cudaStreamCreateWithFlags(&s, cudaStreamNonBlocking);
  set<<<1, 1, 0, s>>>(m);
  cudaStreamSynchronize(s);
  *m = 16;
  int n = *m;
  int *d;
  cudaMalloc(&d, 16 * sizeof(int));
  k<<<1, 128>>>(d, n);
  cudaDeviceSynchronize();
}
