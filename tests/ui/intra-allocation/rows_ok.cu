//@ decided
// The twin of rows.cu, and what is meant to go through several rows.
struct Pair { float low[4]; float high[4]; };

__global__ void transpose(const float *in, float *out) {
  __shared__ float tile[33][33];
  __shared__ int planes[2][4][8];
  __shared__ Pair pairs[8];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x + 1] = in[y * 32 + x];
  if (x < 8 && y < 8) {
    planes[0][y / 2][x] = x;
    planes[1][y / 2][x] = planes[0][(y / 2 + 1) % 4][x];
    pairs[y].low[x / 2] = x;
    pairs[y].high[x / 2] = pairs[y].low[(x / 2 + 1) % 4];
  }
  __syncthreads();
  if (x > 0 && y > 0) out[x * 32 + y] = tile[x][y - 1];
}

__global__ void flattened(const float *in, float *out) {
  __shared__ float tile[8][16];
  int t = threadIdx.x;
  tile[0][t] = in[t];
  float *row = tile[2];
  __syncthreads();
  if (t < 64) out[t] = row[t] + (&tile[1][0])[t] + tile[t / 16][t % 16];
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 1024 * sizeof(float));
  transpose<<<1, dim3(32, 32)>>>(in, out);
  flattened<<<1, 128>>>(in, out);
  return cudaDeviceSynchronize();
}
