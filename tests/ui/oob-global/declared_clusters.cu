//@ flags: -arch=sm_90
// A kernel that declares its threads and its clusters: the launch's grid counts clusters.
__global__ __block_size__((128, 1, 1), (2, 1, 1)) void one(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; } //~ oob-global proved
__global__ __block_size__((32, 1, 1), (2, 2, 1)) void plane(int *a) { a[(blockIdx.y * gridDim.x + blockIdx.x) * 32 + threadIdx.x] = 1; } //~ oob-global proved
__global__ __block_size__((128, 1, 1)) __cluster_dims__(2, 1, 1) void apart(int *a) { a[blockIdx.x * 128 + threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a, *b, *c;
  cudaMalloc(&a, 255 * sizeof(int));
  one<<<1, 1>>>(a);
  cudaMalloc(&b, 383 * sizeof(int));
  plane<<<dim3(3, 1)>>>(b);
  cudaMalloc(&c, 255 * sizeof(int));
  apart<<<1>>>(c);
  return cudaDeviceSynchronize();
}
