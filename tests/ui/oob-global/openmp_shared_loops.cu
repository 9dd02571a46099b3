// Loops that the threads of a team share in parts, with one launch for more than its memory has.
//@ flags: -Xcompiler -fopenmp
#include <cstdlib>

__global__ void scale(float *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) p[i] *= 2.0f;  //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 20) return 1;
  float *p[4];
  int total = 0, most = 0;
  for (int i = 0; i < 4; ++i) cudaMalloc(&p[i], n * sizeof(float));
#pragma omp parallel for schedule(dynamic)
  for (int i = 0; i < 4; ++i) scale<<<(n + 255) / 256, 256>>>(p[i], n);
#pragma omp parallel for schedule(guided, 2) reduction(+ : total)
  for (int i = 0; i < 4; ++i) {
    scale<<<(n + 255) / 256, 256>>>(p[i], n);
    total += i;
#pragma omp critical
    if (i > most) most = i;
  }
#pragma omp parallel sections
  {
#pragma omp section
    scale<<<(n + 255) / 256, 256>>>(p[0], n);
#pragma omp section
    scale<<<(n + 255) / 256, 256>>>(p[3], n + 1);
  }
  cudaDeviceSynchronize();
}
