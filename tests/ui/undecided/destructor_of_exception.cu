// What a replay does not follow: the destructor of an exception, and a stream that gets another text. Sizes are right.
//@ undecided: 1
#include <cstdlib>
#include <sstream>

__global__ void fill(float *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;
}

struct Counted {
  int *ends;
  ~Counted() { *ends += 10; }
};

int main() {
  int n = 16, k = 0, last = 0;
  try {
    throw Counted{&k};
  } catch (Counted &) {
    k += 100;
  }
  if (k != 110) n = 100;
  // The end of the first text is still noticed.
  std::istringstream s("1 2");
  s >> last >> last;
  s.str("9");
  s >> last;
  if (last != 2) n = 100;
  float *a;
  cudaMalloc(&a, 16 * sizeof(float));
  fill<<<1, 128>>>(a, n);
  return cudaDeviceSynchronize();
}
