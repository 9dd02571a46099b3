// Function objects that are given numbers and touch more: an array of their own out of its bounds, what lies behind an argument,
// memory that a member points to. They are followed.
//@ undecided: 3
#include <cstdlib>
#include <thrust/device_vector.h>
#include <thrust/transform.h>
struct Local {
  __host__ __device__ int operator()(int v) const { int t[4] = {1, 2, 3, 4}; return t[v]; }
};
struct Beyond {
  __host__ __device__ int operator()(const int &v) const { return (&v)[2]; }
};
struct Holder { const int *p; };
struct Held {
  Holder h;
  __host__ __device__ int operator()(int v) const { Holder mine = h; const int *q = mine.p; return q[v]; }
};
int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  thrust::device_vector<int> keys(n), out(n);
  const int *p = thrust::raw_pointer_cast(keys.data());
  thrust::transform(keys.begin(), keys.end(), out.begin(), Local());
  thrust::transform(keys.begin(), keys.end(), out.begin(), Beyond());
  thrust::transform(keys.begin(), keys.end(), out.begin(), Held{{p}});
  return cudaDeviceSynchronize();
}
