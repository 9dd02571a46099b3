// Surfaces whose coordinates leave the array, and a texture that shows more than there is.
#include <cstdlib>

__global__ void wide(cudaSurfaceObject_t s, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x <= w && y < h) surf2Dwrite(1.0f, s, x * (int)sizeof(float), y);  //~ oob-global proved
}

__global__ void elements(cudaSurfaceObject_t s, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  // The first coordinate counts bytes.
  if (x < w && y < h) surf2Dwrite(1.0f, s, w * (int)sizeof(float), y);  //~ oob-global proved
}

__global__ void layer(cudaSurfaceObject_t s, int w) {
  int x = threadIdx.x;
  if (x < w) surf1DLayeredwrite(1.0f, s, x * (int)sizeof(float), 2);  //~ oob-global proved
}

__global__ void linear(cudaTextureObject_t t, float *out, int n) {
  int i = threadIdx.x;
  if (i < n) out[i] = tex1Dfetch<float>(t, i);  //~ oob-global possible
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]);
  if (w < 1 || w > 4096 || h < 1 || h > 4096) return 1;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
  cudaArray_t array, layers;
  cudaMallocArray(&array, &format, w, h, cudaArraySurfaceLoadStore);
  cudaMalloc3DArray(&layers, &format, make_cudaExtent(w, 0, 2), cudaArrayLayered | cudaArraySurfaceLoadStore);
  cudaResourceDesc resource = {};
  resource.resType = cudaResourceTypeArray;
  resource.res.array.array = array;
  cudaSurfaceObject_t s, l;
  cudaCreateSurfaceObject(&s, &resource);
  resource.res.array.array = layers;
  cudaCreateSurfaceObject(&l, &resource);
  dim3 block(16, 16), grid((w + 16) / 16, (h + 15) / 16);
  wide<<<grid, block>>>(s, w, h);
  elements<<<grid, block>>>(s, w, h);
  layer<<<1, 256>>>(l, w);
  float *a, *out;
  cudaMalloc(&a, w * sizeof(float));
  cudaMalloc(&out, w * sizeof(float));
  cudaResourceDesc rows = {};
  rows.resType = cudaResourceTypeLinear;
  rows.res.linear.devPtr = a;
  rows.res.linear.desc = format;
  rows.res.linear.sizeInBytes = (w + 1) * sizeof(float);
  cudaTextureDesc how = {};
  cudaTextureObject_t t;
  cudaCreateTextureObject(&t, &rows, &how, nullptr);
  linear<<<1, 256>>>(t, out, w);
  cudaDeviceSynchronize();
}
