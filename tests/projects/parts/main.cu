#include "sample.cuh"
#include <cstdlib>

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  float *in, *out;
  cudaMalloc(&in, (n + 1) * sizeof(float));
  cudaMalloc(&out, n * sizeof(float));
  Stage *stage = make_stage();
  stage->run(out, in, n);
  launch_every<2>(out, n);
  also_every(out, n);
  delete stage;
  return cudaDeviceSynchronize();
}
