// Memory that the host writes while kernels run: an index that is read twice may have changed in between.
//@ undecided: 1
#include <cstdlib>

__global__ void put(int *out, const int *index, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n && index[i] >= 0 && index[i] < n) out[index[i]] = 1;
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1000) return 1;
  for (int k = 0; k < 12; k++) {
    int *out, *index;
    cudaMalloc(&out, n * sizeof(int));
    cudaMallocManaged(&index, n * sizeof(int));
    for (int i = 0; i < n; i++) index[i] = 0;
    put<<<(n + 127) / 128, 128>>>(out, index, n);
    index[0] = 5000;
  }
  return cudaDeviceSynchronize();
}
