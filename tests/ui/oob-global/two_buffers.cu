// As clean/two_buffers.cu, but the second buffer has half the size.
#include <cstdlib>

__global__ void step(float *to, const float *from, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[2 * i + 1] = from[2 * i]; //~ oob-global proved //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), rounds = atoi(argv[2]);
  if (n < 1 || n > 100000) return 1;
  float *host = (float *)malloc(2 * n * sizeof(float));
  float *buffers[2];
  for (int i = 0; i < 2; i++) cudaMalloc((void **)&buffers[i], (2 - i) * n * sizeof(float));
  for (int i = 0; i < 2; i++) cudaMemcpy(buffers[i], host, n * sizeof(float), cudaMemcpyHostToDevice);
  unsigned in = 0;
  for (int r = 0; r < rounds; r++) {
    step<<<(n + 255) / 256, 256>>>(buffers[1 - in], buffers[in], n);
    in = 1 - in;
  }
  for (int i = 0; i < 2; i++) cudaFree(buffers[i]);
}
