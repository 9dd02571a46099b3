//@ decided
// The same memory for another purpose after a barrier: in blocks of their own, under names of the function, and with a second
// name for what the first phase used.
__global__ void phases(const float *in, double *out) {
  extern __shared__ char raw[];
  int t = threadIdx.x;
  {
    float *a = reinterpret_cast<float *>(raw);
    float *b = a + 64;
    a[t] = in[t];
    b[t] = in[t + 64];
    __syncthreads();
    a[t] += b[63 - t];
    __syncthreads();
  }
  {
    double *c = reinterpret_cast<double *>(raw);
    double *d = c + 16;
    if (t < 16) { c[t] = t; d[t] = -t; }
    __syncthreads();
    out[t] = c[t % 16] + d[t % 16];
  }
}

__global__ void again(const float *in, float *out) {
  __shared__ float buffer[128];
  int t = threadIdx.x;
  float *a = buffer;
  float *b = buffer + 64;
  a[t] = in[t];
  b[t] = in[t + 64];
  __syncthreads();
  float s = a[t] * b[t];
  __syncthreads();
  float *sums = buffer + 32;
  sums[t] = s;
  __syncthreads();
  out[t] = sums[63 - t];
}

__global__ void second_name(const float *in, float *out) {
  __shared__ float buffer[128];
  float *a = buffer;
  float *b = buffer + 64;
  float *all = buffer;
  int t = threadIdx.x;
  a[t] = in[t];
  b[t] = in[t + 64];
  __syncthreads();
  for (int s = 64; s > 0; s /= 2) {
    if (t < s) all[t] += all[t + s];
    __syncthreads();
  }
  out[t] = all[0];
}

// Cleared through the first name, from end to end.
__global__ void cleared(const float *in, float *out, int n) {
  extern __shared__ float memory[];
  float *sums = memory;
  float *counts = memory + n;
  for (int i = threadIdx.x; i < 2 * n; i += blockDim.x) sums[i] = 0;
  __syncthreads();
  if (threadIdx.x < n) {
    atomicAdd(&sums[threadIdx.x], in[threadIdx.x]);
    atomicAdd(&counts[threadIdx.x], 1.0f);
  }
  __syncthreads();
  if (threadIdx.x < n) out[threadIdx.x] = sums[threadIdx.x] / counts[threadIdx.x];
}

int main() {
  float *in, *out;
  double *wide;
  cudaMalloc(&in, 128 * sizeof(float));
  cudaMalloc(&out, 64 * sizeof(float));
  cudaMalloc(&wide, 64 * sizeof(double));
  phases<<<1, 64, 128 * sizeof(float)>>>(in, wide);
  again<<<1, 64>>>(in, out);
  second_name<<<1, 64>>>(in, out);
  cleared<<<1, 64, 2 * 48 * sizeof(float)>>>(in, out, 48);
  return cudaDeviceSynchronize();
}
