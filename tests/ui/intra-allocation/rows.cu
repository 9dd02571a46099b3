// An index beyond its row, or its member, but inside the whole array: possible, since rows have no names.
struct Pair { float low[4]; float high[4]; };

__global__ void transpose(const float *in, float *out) {
  __shared__ float tile[33][32];
  __shared__ int planes[2][4][8];
  __shared__ Pair pairs[8];
  int x = threadIdx.x, y = threadIdx.y;
  tile[y][x + 1] = in[y * 32 + x]; //~ intra-allocation possible
  if (x < 8 && y < 8) {
    planes[0][y / 2][x] = x;
    planes[1][y / 2][x] = planes[0][y / 2 + 1][x]; //~ intra-allocation possible
    pairs[y].low[x / 2] = x;
    pairs[y].high[x / 2] = pairs[y].low[x / 2 + 1]; //~ intra-allocation possible
  }
  __syncthreads();
  if (x > 0 && y < 32) out[x * 32 + y] = tile[x][y - 1]; //~ intra-allocation possible
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 1024 * sizeof(float));
  cudaMalloc(&out, 1024 * sizeof(float));
  transpose<<<1, dim3(32, 32)>>>(in, out);
  return cudaDeviceSynchronize();
}
