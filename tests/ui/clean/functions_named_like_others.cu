// Functions of the program that have names like those of libraries, or parts of them: their own bodies count.
//@ decided
#include <cstdlib>
#include <map>
#include <string>
__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

struct Pistol { int n = 64; int *at = nullptr; };

extern "C" int cudaRoundUp(int n) { return (n + 31) / 32 * 32; }
extern "C" void cudaEndIf(bool wrong) { if (wrong) exit(1); }

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]), *a;
  cudaEndIf(n < 1 || n > 1000);
  cudaMalloc(&a, cudaRoundUp(n) * sizeof(int));
  cudaEndIf(n > 64);
  k<<<1, 128>>>(a, n > 64 ? 1000 : n);
  std::map<std::string, Pistol> all;
  all["one"].n = n;
  k<<<1, 32>>>(a, 1);
  return cudaDeviceSynchronize();
}
