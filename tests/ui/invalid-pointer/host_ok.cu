//@ decided
// Memory that both sides may use: managed, pinned, mapped, registered; and the address of a device variable.
#include <cstdlib>

__device__ float table[32];
__managed__ float shared_by_all[32];

__global__ void fill(float *a) { a[threadIdx.x] = 1.0f; }
__global__ void own() { shared_by_all[threadIdx.x] = table[threadIdx.x]; }

int main() {
  float *managed, *pinned, *mapped, *on_device, *heap = (float *)malloc(32 * sizeof(float)), *address, *same;
  cudaMallocManaged(&managed, 32 * sizeof(float));
  cudaMallocHost(&pinned, 32 * sizeof(float));
  cudaHostAlloc(&mapped, 32 * sizeof(float), cudaHostAllocMapped);
  cudaHostGetDevicePointer((void **)&on_device, mapped, 0);
  cudaHostRegister(heap, 32 * sizeof(float), cudaHostRegisterMapped);
  cudaHostGetDevicePointer((void **)&same, heap, 0);
  cudaGetSymbolAddress((void **)&address, table);
  fill<<<1, 32>>>(managed);
  fill<<<1, 32>>>(pinned);
  fill<<<1, 32>>>(on_device);
  fill<<<1, 32>>>(heap);
  fill<<<1, 32>>>(same);
  fill<<<1, 32>>>(address);
  fill<<<1, 32>>>(shared_by_all);
  own<<<1, 32>>>();
  return cudaDeviceSynchronize();
}
