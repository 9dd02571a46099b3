// Sizes that no object can have throw, and the handlers choose sizes that fit.
//@ decided
//@ flags: -DMORE=0
#include <cstdlib>
#include <exception>
#include <memory>
#include <new>
#include <stdexcept>
#include <vector>

__global__ void of_length(float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = 1.0f;
}
__global__ void of_new(float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = 1.0f;
}
__global__ void of_operator(float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = 1.0f;
}
__global__ void of_pointer(float *o, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) o[i] = 1.0f;
}

float *array(int n) {
  float *a;
  cudaMalloc(&a, n * sizeof(float));
  return a;
}

std::unique_ptr<int[]> made(int n) { return std::make_unique<int[]>(n); }

int length(int n) {
  try {
    std::vector<int> v(n);
  } catch (const std::length_error &) {
    return 100 + MORE;
  }
  return 100;
}

int array_new(int n) {
  try {
    delete[] new int[n];
  } catch (...) {
    return 100 + MORE;
  }
  return 100;
}

int operator_new(int n) {
  try {
    ::operator delete(::operator new(n * sizeof(double)));
  } catch (const std::bad_alloc &) {
    return 100 + MORE;
  }
  return 100;
}

int pointer(int n) {
  try {
    auto p = made(n);
    p[0] = 1;
  } catch (const std::exception &) {
    return 100 + MORE;
  }
  return 100;
}

int main(int argc, char **argv) {
  int n = argc < 2 ? -1 : 100;
  of_length<<<1, 256>>>(array(100), length(n));
  of_new<<<1, 256>>>(array(100), array_new(n));
  of_operator<<<1, 256>>>(array(100), operator_new(n));
  of_pointer<<<1, 256>>>(array(100), pointer(n));
  cudaDeviceSynchronize();
}
