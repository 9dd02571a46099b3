// A part's pointer is passed on: what it names stays known. The sizes are constants.
__device__ float sum(const float *values, int n) {
  float s = 0;
  for (int i = 0; i <= n; i++) s += values[i]; //~ intra-allocation proved
  return s;
}

__device__ void add(float *to, float what) { atomicAdd(to, what); } //~ intra-allocation proved

__global__ void sums(const float *in, float *out) {
  __shared__ float buffer[3 * 64];
  float *a = buffer, *b = buffer + 64, *c = buffer + 128;
  int t = threadIdx.x;
  a[t] = in[t];
  b[t] = in[t + 64];
  c[t] = 0;
  __syncthreads();
  add(&b[t + 1], 1);
  add(&c[t], sum(a, 64));
  __syncthreads();
  out[t] = c[t] + b[t];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  sums<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize();
}
