// A texture of a context that was reset.
//@ undecided: 1
__global__ void reset(cudaTextureObject_t t, float *out) { out[threadIdx.x] = tex2D<float>(t, threadIdx.x, 0); }

static cudaTextureObject_t texture(cudaArray_t array) {
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaTextureDesc how = {};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &resource, &how, nullptr);
  return t;
}

int main() {
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array;
  cudaMallocArray(&array, &format, 32, 32);
  cudaTextureObject_t t = texture(array);
  cudaDeviceReset();
  float *out;
  cudaMalloc(&out, 32 * sizeof(float));
  reset<<<1, 32>>>(t, out);
  cudaDeviceSynchronize();
}
