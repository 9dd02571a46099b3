// Shared variables lie one behind another: sizes that are multiples of 16 make each begin at such a multiple, in any order.
//@ decided
#define FLOAT4(x) (*reinterpret_cast<float4 *>(&(x)))

__device__ float sum_of_rows() {
  __shared__ float rows[16];
  rows[threadIdx.x & 15] = threadIdx.x;
  __syncthreads();
  return rows[3];
}

__global__ void tiles(const float *a, float *y) {
  __shared__ float left[8][128];
  __shared__ double right[2];
  int row = threadIdx.x / 32, column = threadIdx.x % 32 * 4;
  float part[4] = {a[threadIdx.x], 1, 2, 3};
  FLOAT4(left[row][column]) = FLOAT4(part[0]);
  right[threadIdx.x & 1] = 2;
  __syncthreads();
  float4 v = FLOAT4(left[row][column]);
  y[threadIdx.x] = v.x + v.y + v.z + v.w + (float)right[0] + sum_of_rows();
}

int main() {
  float *a, *y;
  cudaMalloc(&a, 256 * sizeof(float));
  cudaMalloc(&y, 256 * sizeof(float));
  cudaMemset(a, 0, 256 * sizeof(float));
  tiles<<<1, 256>>>(a, y);
  return cudaDeviceSynchronize();
}
