// Exceptions that a replay does not follow: of a failed conversion, and of a function without a model. The handlers choose the
// sizes that fit.
//@ undecided: 2
#include <stdexcept>
#include <string>
#include <typeinfo>

__global__ void of_conversion(int *a, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) a[i] = 1;
}
__global__ void of_length(int *a, int n) {
  int i = blockIdx.x * 128 + threadIdx.x;
  if (i < n) a[i] = 1;
}
struct Shape {
  virtual ~Shape() = default;
};
struct Circle : Shape {};

int converted() {
  Shape shape, *one = &shape;
  try {
    return dynamic_cast<Circle &>(*one), 100;
  } catch (const std::bad_cast &) {
    return 16;
  }
}

int length() {
  std::string s;
  try {
    s.resize(std::string::npos);
    return 100;
  } catch (const std::length_error &) {
    return 16;
  }
}

int *array(int n) {
  int *a;
  cudaMalloc(&a, n * sizeof(int));
  return a;
}

int main() {
  of_conversion<<<1, 128>>>(array(16), converted());
  of_length<<<1, 128>>>(array(16), length());
  return cudaDeviceSynchronize();
}
