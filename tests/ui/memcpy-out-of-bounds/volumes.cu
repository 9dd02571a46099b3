// Fills and copies of volumes with a slice too many, and copies that structures of the driver's API describe with a row too many.
//@ decided
#include <cstdlib>
#include <cstring>
#include <cuda.h>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 256) return 1;
  float *host = (float *)malloc((size_t)n * n * n * sizeof(float));
  cudaExtent one_more = make_cudaExtent(n * sizeof(float), n, n + 1);
  cudaPitchedPtr p, q;
  cudaMalloc3D(&p, make_cudaExtent(n * sizeof(float), n, n));
  cudaMalloc3D(&q, make_cudaExtent(n * sizeof(float), n, n));
  cudaMemset3D(p, 0, one_more);  //~ memcpy-out-of-bounds proved
  cudaMemset3DAsync(p, 0, one_more, 0);  //~ memcpy-out-of-bounds proved

  cudaMemcpy3DPeerParms peers = {};
  peers.srcPtr = p;
  peers.dstPtr = q;
  peers.extent = one_more;
  cudaMemcpy3DPeer(&peers);  //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved

  CUDA_MEMCPY2D rows;
  memset(&rows, 0, sizeof rows);
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host;
  rows.srcPitch = n * sizeof(float);
  rows.dstMemoryType = CU_MEMORYTYPE_DEVICE;
  rows.dstDevice = (CUdeviceptr)p.ptr;
  rows.dstPitch = p.pitch;
  rows.WidthInBytes = n * sizeof(float);
  rows.Height = n * n + 1;
  cuMemcpy2D(&rows);  //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved

  CUDA_MEMCPY3D volume;
  memset(&volume, 0, sizeof volume);
  volume.srcMemoryType = CU_MEMORYTYPE_DEVICE;
  volume.srcDevice = (CUdeviceptr)q.ptr;
  volume.srcPitch = q.pitch;
  volume.srcHeight = n;
  volume.dstMemoryType = CU_MEMORYTYPE_HOST;
  volume.dstHost = host;
  volume.dstPitch = n * sizeof(float);
  volume.dstHeight = n;
  volume.dstZ = 1;
  volume.WidthInBytes = n * sizeof(float);
  volume.Height = n;
  volume.Depth = n;
  cuMemcpy3DAsync(&volume, 0);  //~ memcpy-out-of-bounds proved
  scale<<<1, n>>>((float *)p.ptr, n);
  cudaDeviceSynchronize();
}
