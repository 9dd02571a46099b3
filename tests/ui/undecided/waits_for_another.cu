// Another stream than the one that the host waits for, and an event that was recorded before.
//@ undecided: 2
__global__ void use_stream(int *out, int i) { out[i] = 1; }
__global__ void use_event(int *out, int i) { out[i] = 1; }

int main() {
  int *p, *h, *out, big = 100;
  cudaMalloc(&p, sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMallocHost(&h, sizeof(int));
  cudaMemcpy(p, &big, sizeof(int), cudaMemcpyHostToDevice);
  cudaStream_t s, t;
  cudaStreamCreate(&s);
  cudaStreamCreate(&t);
  cudaEvent_t e;
  cudaEventCreate(&e);
  cudaMemcpyAsync(h, p, sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaStreamSynchronize(t);
  *h = 0;
  use_stream<<<1, 1>>>(out, *h);
  cudaDeviceSynchronize();
  cudaEventRecord(e, 0);
  cudaMemcpyAsync(h, p, sizeof(int), cudaMemcpyDeviceToHost, s);
  cudaEventSynchronize(e);
  *h = 0;
  use_event<<<1, 1>>>(out, *h);
  return cudaDeviceSynchronize();
}
