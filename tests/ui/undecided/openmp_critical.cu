// A size that another thread of the team may have changed at its critical section. A replay runs the region with one thread.
//@ flags: -Xcompiler -fopenmp
//@ undecided: 1
#include <omp.h>

__global__ void scale(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= 2.0f; }

int main() {
  float *p;
  cudaMalloc(&p, 64 * sizeof(float));
  int size = 64;
#pragma omp parallel
  {
#pragma omp critical
    {
      if (omp_get_thread_num() == 0)
        scale<<<1, 128>>>(p, size);
      else
        size = 65;
    }
  }
  cudaDeviceSynchronize();
}
