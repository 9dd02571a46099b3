//@ decided
// Two halves that change places, and a third that is read through either: a pointer that is set again names nothing.
__global__ void steps(const int *in, int *out, int rounds) {
  __shared__ int buffer[2 * 64];
  int *from = buffer;
  int *to = buffer + 64;
  int t = threadIdx.x;
  from[t] = in[t];
  to[t] = 0;
  __syncthreads();
  for (int k = 0; k < rounds; k++) {
    to[t] = from[t] + from[t > 0 ? t - 1 : 63];
    __syncthreads();
    int *other = from;
    from = to;
    to = other;
  }
  buffer[t + 1] = 0;
  out[t] = from[t];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  steps<<<1, 64>>>(in, out, 8);
  return cudaDeviceSynchronize();
}
