// Members of library types that hold the address of another member, and calls that change one through it.
//@ undecided: 2
#include <algorithm>
#include <map>
#include <string>
#include <vector>

__global__ void sorted(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void parsed(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

struct Options {
  int n = 8;
  std::string text;
  std::map<std::string, int *> places;
  void parse(int count, char **values) { for (int i = 1; i < count; i++) *places[values[i]] = 64; }
};

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  Options x, y;
  std::vector<Options *> all = {&x, &y};
  std::sort(all.begin(), all.end(), [](Options *p, Options *q) { p->n = 64; return p->text < q->text; });
  sorted<<<1, 64>>>(a, x.n);
  Options options;
  options.places["n"] = &options.n;
  options.text = argv[0];
  options.n = 8;
  options.parse(argc, argv);
  parsed<<<1, 64>>>(a, options.n);
  return cudaDeviceSynchronize();
}
