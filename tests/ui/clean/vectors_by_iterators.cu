//@ decided
// Vectors of any size that the standard library or iterators fill.
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <random>
#include <vector>

__global__ void scatter(const int *index, float *values, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) values[index[i]] = 1;
}
static void launch(const int *index, int n, int m) {
  int *d;
  float *values;
  cudaMalloc(&d, n * sizeof(int));
  cudaMalloc(&values, m * sizeof(float));
  cudaMemcpy(d, index, n * sizeof(int), cudaMemcpyHostToDevice);
  scatter<<<(n + 255) / 256, 256>>>(d, values, n);
}
struct Data {
  std::vector<int> index;
  Data(int n, int m) : index(n) {
    for (int i = 0; i < n; i++) index[i] = i % m;
  }
};

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]), m = atoi(argv[2]);
  if (n < 0 || n > 100000 || m < 1 || m > 100000) return 1;
  std::vector<int> counted(n);
  std::iota(counted.begin(), counted.end(), 0);
  for (auto &x : counted) x %= m;
  launch(counted.data(), n, m);
  std::vector<int> same(n);
  std::fill(same.begin(), same.end(), m - 1);
  launch(same.data(), n, m);
  std::vector<int> given(n, m - 1);
  launch(given.data(), n, m);
  std::vector<int> generated(n);
  std::generate(generated.begin(), generated.end(), [&] { return rand() % m; });
  launch(generated.data(), n, m);
  std::vector<int> moved(n);
  for (auto i = moved.begin(); i != moved.end(); ++i) *i = rand() % m;
  std::vector<int> other = std::move(moved);
  launch(other.data(), n, m);
  Data data(n, m);
  launch(data.index.data(), n, m);
  std::mt19937 generator(1);
  std::uniform_int_distribution<int> between(0, m - 1);
  std::vector<int> drawn(n);
  for (int i = 0; i < n; i++) drawn[i] = between(generator);
  launch(drawn.data(), n, m);
  std::uniform_int_distribution<> one;
  using Bounds = std::uniform_int_distribution<>::param_type;
  for (auto &x : drawn) x = one(generator, Bounds(0, m - 1));
  launch(drawn.data(), n, m);
  auto held = std::make_unique<int[]>(n);
  for (int i = 0; i < n; i++) held[i] = i % m;
  launch(held.get(), n, m);
  return cudaDeviceSynchronize();
}
