// Images of the sizes that the program is given: pitched memory, arrays with layers, volumes, and textures in a structure.
//@ decided
#include <cstdlib>

struct Pair { cudaTextureObject_t from, beside; };

__global__ void both(Pair pair, float *out, int w, int h) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x < w && y < h) out[y * w + x] = tex2D<float>(pair.from, x - 3, y + 40) + tex2DLayered<float>(pair.beside, x, y, 2);
}

__global__ void write(cudaSurfaceObject_t s, cudaSurfaceObject_t volume, int w, int h, int d) {
  int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= w || y >= h) return;
  surf2DLayeredwrite(1.0f, s, x * (int)sizeof(float), y, 1);
  for (int z = 0; z < d; z++) surf3Dwrite(make_float2(x, y), volume, x * (int)sizeof(float2), y, z);
  // It clamps.
  surf2DLayeredwrite(1.0f, s, x * 16, y, 1, cudaBoundaryModeClamp);
}

int main(int argc, char **argv) {
  if (argc < 4) return 1;
  int w = atoi(argv[1]), h = atoi(argv[2]), d = atoi(argv[3]);
  if (w < 1 || w > 4096 || h < 1 || h > 4096 || d < 1 || d > 64) return 1;
  cudaChannelFormatDesc format = cudaCreateChannelDesc<float>(), two = cudaCreateChannelDesc<float2>();
  float *rows, *out;
  size_t pitch;
  cudaMallocPitch(&rows, &pitch, w * sizeof(float), h);
  cudaMalloc(&out, (size_t)w * h * sizeof(float));
  cudaResourceDesc pitched = {};
  pitched.resType = cudaResourceTypePitch2D;
  pitched.res.pitch2D.devPtr = rows;
  pitched.res.pitch2D.desc = format;
  pitched.res.pitch2D.width = w;
  pitched.res.pitch2D.height = h;
  pitched.res.pitch2D.pitchInBytes = pitch;
  cudaTextureDesc how = {};
  Pair pair;
  cudaCreateTextureObject(&pair.from, &pitched, &how, nullptr);
  cudaArray_t layers, volume;
  cudaMalloc3DArray(&layers, &format, make_cudaExtent(w, h, 3), cudaArrayLayered | cudaArraySurfaceLoadStore);
  cudaMalloc3DArray(&volume, &two, make_cudaExtent(w, h, d), cudaArraySurfaceLoadStore);
  cudaResourceDesc in_array = {};
  in_array.resType = cudaResourceTypeArray;
  in_array.res.array.array = layers;
  cudaCreateTextureObject(&pair.beside, &in_array, &how, nullptr);
  cudaSurfaceObject_t surface, deep;
  cudaCreateSurfaceObject(&surface, &in_array);
  in_array.res.array.array = volume;
  cudaCreateSurfaceObject(&deep, &in_array);
  dim3 block(16, 16), grid((w + 15) / 16, (h + 15) / 16);
  write<<<grid, block>>>(surface, deep, w, h, d);
  both<<<grid, block>>>(pair, out, w, h);
  cudaDeviceSynchronize();
  cudaDestroyTextureObject(pair.from);
  cudaFreeArray(layers);
  cudaFree(rows);
}
