//@ flags: -arch=sm_90
// A kernel with clusters: the launch's grid counts blocks, and is a multiple of the cluster.
__global__ __cluster_dims__(2, 1, 1) void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; } //~ oob-global proved
template <int Blocks> __global__ __cluster_dims__(Blocks) void instance(int *a) { a[blockIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  k<<<4, 32>>>(a);
  instance<3><<<102, 1>>>(a);
  return cudaDeviceSynchronize();
}
