//@ snapshot
// The smallest input takes two gibibytes of the device's memory; one that takes no more than a confirmation may is as good.
#include <cstdlib>

__global__ void last(char *a, long n) {
  a[n] = 1; //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  long parts = atoi(argv[1]);
  if (parts < 1 || parts > 1000) return 1;
  long n = 2147483648L / parts;
  char *a;
  cudaMalloc(&a, n);
  last<<<1, 1>>>(a, n);
  return cudaDeviceSynchronize();
}
