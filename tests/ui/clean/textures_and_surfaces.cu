//@ decided
// Reads of textures over linear memory and an array, and writes of a surface.
__global__ void k(cudaTextureObject_t one, cudaTextureObject_t two, cudaSurfaceObject_t to, float *c) {
  int i = threadIdx.x;
  float x = tex1Dfetch<float>(one, i + 32);
  float y = tex2D<float>(two, i + 0.5f, 0.5f);
  surf2Dwrite(x + y, to, i * (int)sizeof(float), 0);
  c[i] = x;
}
int main() {
  float *a, *c;
  cudaMalloc(&a, 32 * sizeof(float));
  cudaMalloc(&c, 32 * sizeof(float));
  cudaResourceDesc linear = {};
  linear.resType = cudaResourceTypeLinear;
  linear.res.linear.devPtr = a;
  linear.res.linear.desc = cudaCreateChannelDesc<float>();
  linear.res.linear.sizeInBytes = 32 * sizeof(float);
  cudaTextureDesc how = {};
  cudaTextureObject_t one, two;
  cudaCreateTextureObject(&one, &linear, &how, nullptr);
  cudaArray_t array;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaMallocArray(&array, &format, 32, 32, cudaArraySurfaceLoadStore);
  cudaResourceDesc pitched = {};
  pitched.resType = cudaResourceTypeArray;
  pitched.res.array.array = array;
  cudaCreateTextureObject(&two, &pitched, &how, nullptr);
  cudaSurfaceObject_t to;
  cudaCreateSurfaceObject(&to, &pitched);
  k<<<1, 32>>>(one, two, to, c);
  return cudaDeviceSynchronize();
}
