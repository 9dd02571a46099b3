// A device function of a unit that is not at hand writes variables by their names, and where these lead.
//@ undecided: 3
//@ flags: -rdc=true
__device__ int limit = 4;
__device__ int *table;
extern __device__ void change();
__global__ void k(int *a) { change(); a[limit] = 2; }
__global__ void l(int *a) { a[limit] = 3; }
__global__ void m(int *a) { a[4] = 3; }

__device__ int start = 99;
__global__ void only() { change(); }
__global__ void n(int *a) { a[start] = 4; }

int main() {
  int *a;
  cudaMalloc(&a, 64 * sizeof(int));
  k<<<1, 1>>>(a);
  l<<<1, 1>>>(a);
  m<<<1, 1>>>(a);
  only<<<1, 1>>>();
  n<<<1, 1>>>(a);
  return cudaDeviceSynchronize();
}
