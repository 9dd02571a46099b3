// One more than was selected is read, of a vector that may hold one less: what was selected is not known.
#include <cstdlib>
#include <thrust/copy.h>
#include <thrust/count.h>
#include <thrust/device_vector.h>
#include <thrust/functional.h>
#include <thrust/remove.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/transform_reduce.h>
__global__ void use(const int *from, float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) to[i] = from[i];
}

struct Above {
  int limit;
  __host__ __device__ bool operator()(const int &v) const { return v > limit; }
};

struct Root {
  __host__ __device__ float operator()(int v) const { return sqrtf(v) * v; }
};

struct Later {
  __host__ __device__ bool operator()(int a, int b) const { return a > b; }
};

int *at(thrust::device_vector<int> &v) { return thrust::raw_pointer_cast(v.data()); }

int main(int argc, char **argv) {
  int n = argc > 1 ? atoi(argv[1]) : 1;
  if (n < 1 || n > 1 << 20) return 1;
  thrust::device_vector<int> keys(n), kept(n - (argc > 2)), sums(n);
  thrust::device_vector<float> out(n);
  float *to = thrust::raw_pointer_cast(out.data());
  thrust::sort(keys.begin(), keys.end(), Later());
  thrust::exclusive_scan(keys.begin(), keys.end(), sums.begin());
  thrust::transform(keys.begin(), keys.end(), out.begin(), Root());
  float sum = thrust::transform_reduce(keys.begin(), keys.end(), Root(), 0.0f, thrust::plus<float>());
  int many = thrust::count_if(keys.begin(), keys.end(), Above{3});
  use<<<(many + 255) / 256, 256>>>(at(keys), to, many);
  int count = thrust::copy_if(keys.begin(), keys.end(), kept.begin(), Above{argc}) - kept.begin();
  use<<<(count + 255) / 256, 256>>>(at(kept), to, count + 1);
  int left = thrust::remove_if(keys.begin(), keys.end(), Above{7}) - keys.begin();
  use<<<(left + 255) / 256, 256>>>(at(keys), to, left);
  return sum > 0 ? cudaDeviceSynchronize() : 0;
}
