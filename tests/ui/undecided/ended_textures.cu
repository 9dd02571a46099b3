// Textures that were destroyed, whose array was freed, that a loop makes, and one that was never made.
//@ undecided: 6
#include <cstdlib>

__global__ void destroyed(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }
__global__ void array_freed(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }
__global__ void perhaps(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }
__global__ void in_loop(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
__global__ void in_turns(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }
__global__ void never(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex1Dfetch<float>(t, threadIdx.x); }

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 100) return 1;
  float *out, *a;
  cudaMalloc(&out, 32 * sizeof(float));
  cudaMalloc(&a, 32 * sizeof(float));
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  cudaTextureDesc how = {};
  cudaArray_t arrays[3];
  cudaTextureObject_t t[3], unset;
  cudaMallocArray(&arrays[0], &format, 32, 32);
  resource.res.array.array = arrays[0];
  cudaCreateTextureObject(&t[0], &resource, &how, nullptr);
  cudaDestroyTextureObject(t[0]);
  destroyed<<<1, 32>>>(t[0], out);
  cudaMallocArray(&arrays[1], &format, 32, 32);
  resource.res.array.array = arrays[1];
  cudaCreateTextureObject(&t[1], &resource, &how, nullptr);
  cudaFreeArray(arrays[1]);
  array_freed<<<1, 32>>>(t[1], out);
  cudaMallocArray(&arrays[2], &format, 32, 32);
  resource.res.array.array = arrays[2];
  cudaCreateTextureObject(&t[2], &resource, &how, nullptr);
  if (n == 7) cudaDestroyTextureObject(t[2]);
  perhaps<<<1, 32>>>(t[2], out);
  resource = {};
  resource.resType = cudaResourceTypeLinear;
  resource.res.linear.desc = format;
  cudaTextureObject_t made[100];
  for (int i = 0; i < n; i++) {
    resource.res.linear.devPtr = a;
    resource.res.linear.sizeInBytes = (33 + n - i) * sizeof(float);
    cudaCreateTextureObject(&made[i], &resource, &how, nullptr);
  }
  in_loop<<<1, 32>>>(made[0], out);
  // The first shows more than there is.
  cudaTextureObject_t first, now;
  for (int i = 0; i < n; i++) {
    resource.res.linear.sizeInBytes = (i == 0 ? 33 : 32) * sizeof(float);
    cudaCreateTextureObject(&now, &resource, &how, nullptr);
    if (i == 0) first = now;
  }
  in_turns<<<1, 32>>>(first, out);
  never<<<1, 32>>>(unset, out);
  cudaDeviceSynchronize();
}
