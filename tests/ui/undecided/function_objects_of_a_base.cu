// An operator that a function object inherits, and one that reads at an address that is no multiple of what it reads. They are followed.
//@ undecided: 2
#include <cstdlib>
#include <thrust/device_vector.h>
#include <thrust/transform.h>
struct Table {
  const int *p;
  int n;
  __host__ __device__ int operator()(int) const { return p[n]; }
};
template <class Base> struct Both : Base {
  using Base::operator();
  __host__ __device__ int operator()(int x, int y) const { return x + y; }
};
struct Bytes { char of[8]; };
struct Halves {
  __host__ __device__ long long operator()(const long long &x) const { return *(const int *)&((const Bytes *)&x)->of[2]; }
};
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  thrust::device_vector<int> keys(n), out(n);
  thrust::device_vector<long long> wide(n);
  Both<Table> both;
  both.p = thrust::raw_pointer_cast(keys.data());
  both.n = n;
  thrust::transform(keys.begin(), keys.end(), out.begin(), out.begin(), both);
  thrust::transform(keys.begin(), keys.end(), out.begin(), both);
  thrust::transform(wide.begin(), wide.end(), wide.begin(), Halves());
  return cudaDeviceSynchronize();
}
