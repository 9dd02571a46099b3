//@ snapshot
// Whether a product is rounded before it is added is the compiler's choice, and a double does not have all bits of `long double`.
#include <cstdlib>

__global__ void product(int *a, int n) { a[n] = 1; }
__global__ void sum(int *a, int n) { a[n] = 1; }
__global__ void exact(int *a, int n) { a[n] = 1; } //~ oob-global proved

int main(int argc, char **) {
  double x = argc * 0.1, z = x * x;
  long double s = 0, h = 0;
  for (int i = 0; i < 10; i++) s += 0.1L;
  for (int i = 0; i < 32; i++) h += 0.5L;
  int *a;
  if (cudaMalloc(&a, 16 * sizeof(int))) return 1;
  product<<<1, 1>>>(a, x * x - z != 0 ? 16 : 3);
  sum<<<1, 1>>>(a, (double)s == 1.0 ? 3 : 16);
  exact<<<1, 1>>>(a, (int)h);
}
