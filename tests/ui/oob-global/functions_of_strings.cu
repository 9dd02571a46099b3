// Functions of the program whose parameters are of the library, or whose names are: they are followed like any other.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

static int by_string = 8, by_generator = 8, by_each = 8, by_order = 8, by_name = 8;

static void configure(std::string) { by_string = 16; }
static void draw(std::mt19937 &) { by_generator = 16; }
extern "C" void omp_set_num_threads(int n) { by_name = n; }

__global__ void one(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void two(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void three(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void four(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void five(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

static void launch(const std::string &name, int *a) { five<<<1, 32>>>(a, by_name); }

int main() {
  int *a;
  cudaMalloc(&a, 8 * sizeof(int));
  configure("more");
  std::mt19937 generator(1);
  draw(generator);
  std::vector<std::string> words(3);
  std::for_each(words.begin(), words.end(), [](std::string &) { by_each = 16; });
  std::vector<int> numbers(3);
  std::sort(numbers.begin(), numbers.end(), [](int x, int y) { by_order = 16; return x < y; });
  omp_set_num_threads(16);
  one<<<1, 32>>>(a, by_string);
  two<<<1, 32>>>(a, by_generator);
  three<<<1, 32>>>(a, by_each);
  four<<<1, 32>>>(a, by_order);
  launch("last", a);
  return cudaDeviceSynchronize();
}
