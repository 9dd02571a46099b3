// Fills and copies of volumes, by the runtime, between devices, and by structures of the driver's API, that stay in their memory.
//@ decided
#include <cstdlib>
#include <cstring>
#include <cuda.h>

__global__ void scale(cudaPitchedPtr p, int w, int h) {
  int x = threadIdx.x, y = blockIdx.x, z = blockIdx.y;
  if (x < w) *((float *)((char *)p.ptr + p.pitch * (z * h + y)) + x) *= 2.0f;
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 256) return 1;
  float *host = (float *)malloc((size_t)n * n * n * sizeof(float));
  cudaExtent extent = make_cudaExtent(n * sizeof(float), n, n);
  cudaPitchedPtr p, q;
  cudaMalloc3D(&p, extent);
  cudaMalloc3D(&q, extent);
  cudaMemset3D(p, 0, extent);
  cudaMemset3DAsync(q, 0, extent, 0);

  cudaMemcpy3DPeerParms peers = {};
  peers.srcPtr = p;
  peers.dstPtr = q;
  peers.extent = extent;
  cudaMemcpy3DPeer(&peers);

  CUDA_MEMCPY2D rows;
  memset(&rows, 0, sizeof rows);
  rows.srcMemoryType = CU_MEMORYTYPE_HOST;
  rows.srcHost = host;
  rows.srcPitch = n * sizeof(float);
  rows.dstMemoryType = CU_MEMORYTYPE_UNIFIED;
  rows.dstDevice = (CUdeviceptr)p.ptr;
  rows.dstPitch = p.pitch;
  rows.dstY = 1;
  rows.WidthInBytes = n * sizeof(float);
  rows.Height = n * n - 1;
  cuMemcpy2D(&rows);

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
  volume.Depth = n - 1;
  cuMemcpy3DAsync(&volume, 0);
  scale<<<dim3(n, n), 256>>>(p, n, n);
  cudaDeviceSynchronize();
}
