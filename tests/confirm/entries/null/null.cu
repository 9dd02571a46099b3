// Without weights a kernel runs for all channels, of which there is no room.
__global__ void fill(float *out, int n) {
  if (threadIdx.x < n) out[threadIdx.x] = 1;
}

void normalise(const float *weights, float *out, int channels) {
  if (channels < 1 || channels > 256) return;
  if (weights == nullptr)
    fill<<<1, 256>>>(out, 256);
  else
    fill<<<1, 256>>>(out, channels);
}
