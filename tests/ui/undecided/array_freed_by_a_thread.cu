//@ undecided: 1
// One thread launches, and another one ends the surface and its array: no order is between them.
#include <cstdlib>
#include <cuda_runtime.h>
#include <thread>
#include <pthread.h>
__global__ void k(cudaSurfaceObject_t s, int w) {
  int x = blockIdx.x * blockDim.x + threadIdx.x;
  if (x < w) surf2Dwrite(1.0f, s, x * (int)sizeof(float), 0);
}
static cudaSurfaceObject_t gs; static cudaArray_t ga; static int gw;
static void *worker(void *) { k<<<(gw + 63) / 64, 64>>>(gs, gw); cudaDeviceSynchronize(); return nullptr; }
static void *destroyer(void *) { cudaDestroySurfaceObject(gs); cudaFreeArray(ga); return nullptr; }
int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int w = atoi(argv[1]);
  if (w < 1 || w > 4096) return 1;
  cudaChannelFormatDesc d = cudaCreateChannelDesc<float>();
  cudaArray_t a;
  if (cudaMallocArray(&a, &d, w, 1, cudaArraySurfaceLoadStore)) return 1;
  cudaResourceDesc r = {};
  r.resType = cudaResourceTypeArray; r.res.array.array = a;
  cudaSurfaceObject_t s;
  cudaCreateSurfaceObject(&s, &r);
  gs = s; ga = a; gw = w;
  pthread_t p, q;
  pthread_create(&p, 0, worker, 0);
  pthread_create(&q, 0, destroyer, 0);
  pthread_join(p, 0);
  pthread_join(q, 0);
  cudaDeviceSynchronize();
}
