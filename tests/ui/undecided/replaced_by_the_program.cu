// Operators `new` of the program itself, conversions that store, arguments of variadic functions, and functions of other units.
//@ undecided: 4
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <new>

static int allocated = 8;
int configured = 8;
void configure();

void *operator new(std::size_t bytes) {
  allocated = 64;
  return malloc(bytes);
}
void operator delete(void *p) noexcept { free(p); }

__global__ void by_new(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void by_printf(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void by_arguments(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void by_unit(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static void set(int count, ...) {
  va_list arguments;
  va_start(arguments, count);
  for (int i = 0; i < count; i++) *va_arg(arguments, int *) = 64;
  va_end(arguments);
}

int main(int argc, char **argv) {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  delete new int(3);
  by_new<<<1, 64>>>(a, allocated);
  int printed = 8;
  printf("%s%n\n", argv[0], &printed);
  by_printf<<<1, 64>>>(a, printed);
  int given = 8;
  set(1, &given);
  by_arguments<<<1, 64>>>(a, given);
  configure();
  by_unit<<<1, 64>>>(a, configured);
  return cudaDeviceSynchronize();
}
