// A copy that is wrong on a device of any capability that the program accepts, which asks for its parts one by one.
#include <cstdlib>

int main(int argc, char **argv) {
  int device = argc > 2 ? atoi(argv[2]) : 0, major = 0, minor = 0;
  cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  if (major * 10 + minor < 81) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 20) return 1;
  int *a, *host = (int *)malloc(n * sizeof(int));
  cudaMalloc(&a, n * sizeof(int));
  cudaMemcpy(a, host, (n + 1) * sizeof(int), cudaMemcpyHostToDevice);  //~ memcpy-out-of-bounds proved //~ memcpy-out-of-bounds proved
}
