// Each device has its sizes from one loop and its memory from a later one, which reads the sizes.
//@ decided
#include <cuda_runtime.h>
struct Plan {
  int n;
  float *data, *sum;
  cudaStream_t stream;
};
__global__ void reduce(float *sum, const float *data, int n) {
  int threads = blockDim.x * gridDim.x;
  float all = 0;
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += threads) all += data[i];
  sum[blockIdx.x * blockDim.x + threadIdx.x] = all;
}
// The same with a size that the element before it has.
__global__ void fill(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 1;
}
int main() {
  const int all = 1 << 20;
  Plan plan[16];
  int devices;
  cudaGetDeviceCount(&devices);
  if (devices > 16) devices = 16;
  for (int i = 0; i < devices; i++) plan[i].n = all / devices;
  for (int i = 0; i < all % devices; i++) plan[i].n++;
  for (int i = 0; i < devices; i++) {
    cudaSetDevice(i);
    cudaStreamCreate(&plan[i].stream);
    cudaMalloc(&plan[i].data, plan[i].n * sizeof(float));
    cudaMalloc(&plan[i].sum, 32 * 256 * sizeof(float));
  }
  for (int i = 0; i < devices; i++) {
    cudaSetDevice(i);
    reduce<<<32, 256, 0, plan[i].stream>>>(plan[i].sum, plan[i].data, plan[i].n);
  }
  struct Row {
    int n;
    float *x;
  } row[9];
  for (int i = 0; i < 9; i++) row[i].n = 1000 - i;
  for (int i = 0; i < devices && i < 8; i++) cudaMalloc(&row[i].x, row[i + 1].n * 4);
  for (int i = 0; i < devices && i < 8; i++) fill<<<8, 256>>>(row[i].x, row[i + 1].n);
}
