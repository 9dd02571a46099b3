//@ decided
// What lies left and right of the middle has names of its own, and is meant to be reached through the middle's.
#include <cstdlib>

__global__ void blur(const float *in, float *out, int r) {
  extern __shared__ float smem[];
  float *left = smem;
  float *middle = smem + r;
  float *right = middle + blockDim.x;
  int t = threadIdx.x;
  middle[t] = in[t + r];
  if (t < r) {
    left[t] = in[t];
    right[t] = in[t + r + blockDim.x];
  }
  __syncthreads();
  float s = 0;
  for (int i = -r; i <= r; i++) s += middle[t + i];
  out[t] = s;
}

// The same with the steps written out.
__global__ void derive(const float *in, float *out) {
  __shared__ float buffer[4 + 64 + 4];
  float *left = buffer, *u = buffer + 4, *right = buffer + 68;
  int t = threadIdx.x;
  u[t] = in[t + 4];
  if (t < 4) {
    left[t] = in[t];
    right[t] = in[t + 68];
  }
  __syncthreads();
  out[t] = u[t - 1] + u[t + 1] - 2 * (u[t - 2] + u[t + 2]) + 3 * (u[t - 3] + u[t + 3]) - 4 * (u[t - 4] + u[t + 4]);
}

// The middle alone has a name: nothing else is named that it could reach.
__global__ void smooth(const float *in, float *out, int r) {
  extern __shared__ float buf[];
  float *s = buf + r;
  int t = threadIdx.x;
  s[t] = in[t + r];
  if (t < r) { s[t - r] = in[t]; s[t + blockDim.x] = in[t + r + blockDim.x]; }
  __syncthreads();
  out[t] = s[t - r] + s[t] + s[t + r];
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int r = atoi(argv[1]);
  if (r < 1 || r > 32) return 1;
  float *in, *out;
  cudaMalloc(&in, (128 + 2 * r) * sizeof(float));
  cudaMalloc(&out, 128 * sizeof(float));
  blur<<<1, 128, (128 + 2 * r) * sizeof(float)>>>(in, out, r);
  smooth<<<1, 128, (128 + 2 * r) * sizeof(float)>>>(in, out, r);
  derive<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize();
}
