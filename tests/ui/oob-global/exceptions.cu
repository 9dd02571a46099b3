// What was done before something is thrown that is caught: the executor does not know it there, and replays do.
#include <stdexcept>
#include <string>
#include <vector>

static int before = 8, outside = 8, checked = 64, read = 64;

__global__ void thrown(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void passed(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void at(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void number(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

static void fails(int x) {
  before = 64;
  if (x > 1) throw std::runtime_error("too many");
  before = 8;
}

struct Leaves {
  ~Leaves() { outside = 64; }
};
static void inner(int x) {
  Leaves leaves;
  if (x > 1) throw x;
}
static void middle(int x) {
  try {
    inner(x);
  } catch (std::logic_error &) {
  }
}

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  try {
    fails(argc);
  } catch (std::exception &) {
  }
  thrown<<<1, 64>>>(a, before);
  try {
    middle(argc);
    outside = 8;
  } catch (...) {
  }
  passed<<<1, 64>>>(a, outside);
  std::vector<int> v(4);
  try {
    v.at(argc) = 3;
    checked = 8;
  } catch (...) {
  }
  at<<<1, 64>>>(a, checked);
  try {
    std::stoi(argv[0]);
    read = 8;
  } catch (...) {
  }
  number<<<1, 64>>>(a, read);
  return cudaDeviceSynchronize();
}
