// A size that other threads of the team may have changed at their critical sections.
//@ flags: -Xcompiler -fopenmp
__global__ void scale(float *p, int n) { if (threadIdx.x < n) p[threadIdx.x] *= 2.0f; }  //~ oob-global proved

int main() {
  float *p;
  cudaMalloc(&p, 64 * sizeof(float));
  int size = 64;
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 4; ++i) {
#pragma omp critical
    {
      scale<<<1, 128>>>(p, size);
      size = size + 1;
    }
  }
  cudaDeviceSynchronize();
}
