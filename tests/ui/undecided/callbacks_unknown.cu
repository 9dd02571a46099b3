// Libraries that are given a function of which nothing is known, and an object of which nothing is known but that it has virtual methods.
//@ undecided: 2
#include <iostream>
#include <locale>
#include <streambuf>

typedef void (*Setter)();
extern "C" Setter chosen(int x);
extern "C" void library_runs(Setter f);

static int by_any = 8, by_method = 8;

__global__ void any(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void method(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void sets() { by_any = 64; }
Setter kept = sets;

struct Buffer : std::streambuf {
  int overflow(int c) override { by_method = 64; return c; }
};

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  library_runs(chosen(argc));
  any<<<1, 64>>>(a, by_any);
  Buffer buffer;
  buffer.pubimbue(std::locale());
  by_method = 8;
  std::ostream o(&buffer);
  o << "x";
  method<<<1, 64>>>(a, by_method);
  return cudaDeviceSynchronize();
}
