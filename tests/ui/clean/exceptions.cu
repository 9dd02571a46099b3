//@ decided
// Handlers that end the program, set what is used, or change nothing of it.
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

__global__ void k(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

struct Solver {
  virtual void run(int *a) { k<<<1, 64>>>(a, 32); }
  virtual ~Solver() {}
};

static int option(const char *text) {
  int n;
  try {
    n = std::stoi(text);
  } catch (const std::exception &) {
    n = 16;
  }
  return n;
}

static void grow(std::vector<int> &v) {
  try {
    for (int i = 0; i < 4; i++) v.push_back(i);
  } catch (const std::bad_alloc &e) {
    std::cerr << e.what() << std::endl;
  }
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  try {
    int *a;
    cudaMalloc(&a, 32 * sizeof(int));
    int n = option(argv[1]);
    if (n < 0 || n > 32) throw std::runtime_error("too many");
    k<<<1, 64>>>(a, n);
    std::vector<int> v;
    grow(v);
    Solver solver;
    solver.run(a);
    cudaDeviceSynchronize();
  } catch (const std::exception &e) {
    std::cerr << e.what() << std::endl;
    return 1;
  }
  return 0;
}
