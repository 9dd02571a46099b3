#include "sample.cuh"

__global__ void smooth(float *out, const float *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = sample(in, i);
}

struct Smooth : Stage {
  void run(float *out, const float *in, int n) override { smooth<<<(n + 63) / 64, 64>>>(out, in, n); }
};

Stage *make_stage() { return new Smooth; }
void also_every(float *out, int n) { launch_every<2>(out, n); }
