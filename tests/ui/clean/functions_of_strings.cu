//@ decided
// Functions of the program whose parameters are of the library, or whose names are: they are followed like any other.
#include <random>
#include <string>

static int by_string = 8, by_generator = 8, by_name = 8;

static void configure(std::string) { by_string = 16; }
static void draw(std::mt19937 &) { by_generator = 16; }
extern "C" void omp_set_num_threads(int n) { by_name = n; }

__global__ void one(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void two(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void five(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void launch(const std::string &name, int *a) { five<<<1, 32>>>(a, by_name); }

int main() {
  int *a;
  cudaMalloc(&a, 16 * sizeof(int));
  configure("more");
  std::mt19937 generator(1);
  draw(generator);
  omp_set_num_threads(16);
  one<<<1, 32>>>(a, by_string);
  two<<<1, 32>>>(a, by_generator);
  launch("last", a);
  return cudaDeviceSynchronize();
}
