// Nothing makes `tile` begin at a multiple of 16: a variable of 4 bytes may lie before it, here or in a function that is called.
//@ undecided: 2
#define FLOAT4(x) (*reinterpret_cast<float4 *>(&(x)))

__device__ int flag_of_others() {
  __shared__ int flag;
  flag = 1;
  __syncthreads();
  return flag;
}

__global__ void own(float *y) {
  __shared__ float tile[256];
  __shared__ int flag;
  tile[threadIdx.x] = threadIdx.x;
  flag = 1;
  __syncthreads();
  float4 v = FLOAT4(tile[threadIdx.x & ~3]);
  y[threadIdx.x] = v.x + v.y + v.z + v.w + flag;
}

__global__ void called(float *y) {
  __shared__ float tile[256];
  tile[threadIdx.x] = threadIdx.x;
  __syncthreads();
  float4 v = FLOAT4(tile[threadIdx.x & ~3]);
  y[threadIdx.x] = v.x + v.y + v.z + v.w + flag_of_others();
}

int main() {
  float *y;
  cudaMalloc(&y, 256 * sizeof(float));
  own<<<1, 256>>>(y);
  called<<<1, 256>>>(y);
  return cudaDeviceSynchronize();
}
