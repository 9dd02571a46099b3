// Behind what it waits for the host's own stores stay, and what it checks stays as it is: by the device, a stream, an event, a copy.
//@ decided
__global__ void set(int *p, int v) { if (threadIdx.x == 0) *p = v; }
__global__ void use(int *out, int i) { out[i] = 1; }

int main() {
  int *p, *h, *m, *out, x = 0;
  cudaMalloc(&p, sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMallocHost(&h, sizeof(int));
  cudaMallocManaged(&m, sizeof(int));
  set<<<1, 32>>>(m, 100);
  cudaDeviceSynchronize();
  *m = 0;
  use<<<1, 1>>>(out, *m);
  set<<<1, 32>>>(m, 100);
  cudaMemcpy(&x, p, sizeof(int), cudaMemcpyDeviceToHost);
  *m = 1;
  use<<<1, 1>>>(out, *m);
  cudaEvent_t e;
  cudaEventCreate(&e);
  set<<<1, 32>>>(m, 100);
  cudaEventRecord(e, 0);
  cudaEventSynchronize(e);
  *m = 2;
  use<<<1, 1>>>(out, *m);
  cudaStream_t s;
  cudaStreamCreate(&s);
  set<<<1, 32, 0, s>>>(p, 100);
  cudaMemcpyAsync(h, p, sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(s);
  if (*h >= 0 && *h < 64) use<<<1, 1, 0, s>>>(out, *h);
  *h = 3;
  use<<<1, 1, 0, s>>>(out, *h);
  return cudaDeviceSynchronize();
}
