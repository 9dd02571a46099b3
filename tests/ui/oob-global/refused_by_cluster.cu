//@ flags: -arch=sm_90
// A launch whose grid is no multiple of its cluster is refused: what it should have stored is not there.
__global__ __cluster_dims__(2, 1, 1) void declared(int *p) { *p = 3; }
__global__ void asked(int *p) { *p = 3; }
__global__ void required(int *p) { *p = 3; }
__global__ void after_declared(const int *p, int *a) { a[*p] = 1; } //~ oob-global proved
__global__ void after_asked(const int *p, int *a) { a[*p] = 1; } //~ oob-global proved
__global__ void after_required(const int *p, int *a) { a[*p] = 1; } //~ oob-global proved

int main() {
  int *p, *a;
  cudaMalloc(&p, 3 * sizeof(int));
  cudaMalloc(&a, 4 * sizeof(int));
  cudaMemset(p, 0x7f, 3 * sizeof(int));
  declared<<<1, 1>>>(p);
  after_declared<<<1, 1>>>(p, a);
  cudaLaunchAttribute with = {};
  with.id = cudaLaunchAttributeClusterDimension;
  with.val.clusterDim.x = 2;
  with.val.clusterDim.y = with.val.clusterDim.z = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = config.blockDim = dim3(1);
  config.attrs = &with;
  config.numAttrs = 1;
  cudaLaunchKernelEx(&config, asked, p + 1);
  after_asked<<<1, 1>>>(p + 1, a);
  cudaFuncSetAttribute(required, cudaFuncAttributeRequiredClusterWidth, 2);
  cudaFuncSetAttribute(required, cudaFuncAttributeRequiredClusterHeight, 1);
  cudaFuncSetAttribute(required, cudaFuncAttributeRequiredClusterDepth, 1);
  required<<<1, 1>>>(p + 2);
  after_required<<<1, 1>>>(p + 2, a);
  return cudaDeviceSynchronize();
}
