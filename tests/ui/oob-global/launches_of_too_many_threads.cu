// Launches whose numbers of threads or blocks no integer of 64 bits holds are refused like other ones that are too large.
#include <cstdlib>

__global__ void fill(int *a, int n) {
  a[threadIdx.x] = n; //~ oob-global proved
}

int main(int argc, char **argv) {
  int n = atoi(argv[1]);
  int *a;
  cudaMalloc(&a, 4 * 32);
  fill<<<1, dim3(4294967295u, 4294967295u, 4294967295u)>>>(a, n);
  fill<<<dim3(4294967295u, 4294967295u, 4294967295u), 1>>>(a, n);
  fill<<<1, 33>>>(a, n);
}
