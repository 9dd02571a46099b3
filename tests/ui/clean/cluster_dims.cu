//@ flags: -arch=sm_90
//@ decided
// A kernel with clusters: a launch whose grid is no multiple of the cluster is refused.
__global__ __cluster_dims__(2, 1, 1) void k(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
__global__ __cluster_dims__(2, 1, 1) void refused(int *a) { a[blockIdx.x * blockDim.x + threadIdx.x] = 1; }
template <int Blocks> __global__ __cluster_dims__(Blocks) void instance(int *a) { a[blockIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 100 * sizeof(int));
  k<<<2, 50>>>(a);
  refused<<<5, 32>>>(a);
  instance<3><<<99, 1>>>(a);
  instance<3><<<101, 1>>>(a);
  return cudaDeviceSynchronize();
}
