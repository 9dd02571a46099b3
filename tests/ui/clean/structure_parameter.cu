//@ decided
// A library: nobody known calls it, but a structure passed by value is the function's own, of a known size.
struct Weights { float of[9]; };

__global__ void blur(Weights w) {
  __shared__ float sum[9];
  if (threadIdx.x < 9) sum[threadIdx.x] = w.of[threadIdx.x];
}

__global__ void unused(Weights w) {
  __shared__ float sum[9];
  if (threadIdx.x < 9) sum[threadIdx.x] = w.of[threadIdx.x];
}

void blur_all(Weights w) { blur<<<1, 32>>>(w); }
