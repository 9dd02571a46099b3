// Devices that the program names by numbers, some known and some not, have different properties: nothing here is safe.
//@ undecided: 2
__global__ void w(int *x) { x[blockIdx.x] = 1; }
__global__ void v(int *x) { x[blockIdx.x] = 1; }  //~ oob-global possible
__global__ void u(int *x) { x[blockIdx.x] = 1; }
__global__ void t(int *x) { x[blockIdx.x] = 1; }  //~ oob-global possible
static int multiprocessors(int d) { cudaDeviceProp p; cudaGetDeviceProperties(&p, d); return p.multiProcessorCount; }
int main(int argc, char **argv) {
  int count, s[64];
  cudaGetDeviceCount(&count);
  for (int d = 0; d < count && d < 64; ++d) cudaDeviceGetAttribute(&s[d], cudaDevAttrMultiProcessorCount, d);
  int *x, *y, *z, *q;
  cudaMalloc(&x, s[0] * 4);
  w<<<s[1], 1>>>(x);
  cudaMalloc(&y, multiprocessors(0) * 4);
  v<<<multiprocessors(argc), 1>>>(y);
  int last = 1;
  for (int d = 0; d < count; ++d) { last = multiprocessors(d); }
  cudaMalloc(&z, last * 4);
  for (int d = 0; d < count; ++d) { u<<<multiprocessors(d), 1>>>(z); }
  cudaDeviceProp a, b;
  cudaGetDeviceProperties(&a, argc);
  b = a;
  cudaGetDeviceProperties(&a, argc + 1);
  cudaMalloc(&q, b.multiProcessorCount * 4);
  t<<<a.multiProcessorCount, 1>>>(q);
}
