//@ decided
// Pointers that point somewhere without cutting anything: rows, slices of warps and threads, pointers that walk, a sentinel.
__global__ void rows(const float *in, float *out, int width) {
  __shared__ float tile[32 * 33];
  const float *line = in + blockIdx.x * width;
  float *row = tile + threadIdx.y * 33;
  float *next = tile + (threadIdx.y + 1) * 33;
  row[threadIdx.x] = line[threadIdx.x];
  if (threadIdx.y < 7) next[threadIdx.x] = 0;
  __syncthreads();
  if (threadIdx.y < 6) out[threadIdx.x] = row[threadIdx.x + 33] + next[threadIdx.x + 33];
}

__global__ void slices(const float *in, float *out) {
  __shared__ float buffer[4 * 32 + 4];
  float *warp = buffer + (threadIdx.x / 32) * 32;
  float *own = buffer + threadIdx.x;
  warp[threadIdx.x % 32] = in[threadIdx.x];
  __syncthreads();
  out[threadIdx.x] = own[0] + own[1] + warp[threadIdx.x % 32 + 1];
}

__global__ void walk(const float *in, float *out) {
  __shared__ float buffer[128];
  float *first = buffer;
  float *second = buffer + 64;
  float *end = buffer + 128;
  for (float *p = first + threadIdx.x; p < end; p += 32) *p = 0;
  __syncthreads();
  first[threadIdx.x] = in[threadIdx.x];
  second[threadIdx.x] = in[threadIdx.x + 32];
  float s = 0;
  const float *q = first;
  for (int i = 0; i < 128; i++) s += *q++;
  out[threadIdx.x] = s;
}

// Overlapping views of one array.
__global__ void views(const float *in, float *out) {
  __shared__ float line[66];
  float *left = line, *middle = line + 1, *right = line + 2;
  int t = threadIdx.x;
  middle[t] = in[t];
  if (t == 0) { left[0] = 0; right[63] = 0; }
  __syncthreads();
  out[t] = left[t] + middle[t] + right[t];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4 * 128 * sizeof(float));
  cudaMalloc(&out, 128 * sizeof(float));
  rows<<<4, dim3(32, 8)>>>(in, out, 128);
  slices<<<1, 128>>>(in, out);
  walk<<<1, 32>>>(in, out);
  views<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize();
}
