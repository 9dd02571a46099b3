//@ undecided: 1
// A member function writes its object, though the only argument that its signature names is a pointer to const. The
// length is 8 at least: a run that skips both calls does not know it.
#include <ctime>
__global__ void put(int *a, int n) { a[n - 1] = 1; }
struct Shape {
  int length = 4;
  void read(const char *text) {
    int x = 27, steps = 0;
    while (x != 1) {
      x = x % 2 ? 3 * x + 1 : x / 2;
      steps++;
    }
    length = steps - 103 + (text[0] == 'q');
  }
};

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  Shape s;
  if (time(nullptr) % 2) s.read(argv[1]);
  else s.read("xy");
  int *a;
  cudaMalloc(&a, s.length * sizeof(int));
  put<<<1, 1>>>(a, 8);
  return cudaDeviceSynchronize();
}
