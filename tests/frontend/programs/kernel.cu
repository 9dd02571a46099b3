struct Pair { float *data; int n; };

__constant__ float weights[8];
__device__ int table[4] = {1, 2, 3, 4};

__device__ float pick(const float *p, unsigned i) { return p[i]; }

template <int N>
__global__ void __launch_bounds__(256) tile(float *out, const Pair in) {
  extern __shared__ float dynamic[];
  __shared__ float grid[4][N];
  float local[3][5];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  grid[threadIdx.y][threadIdx.x] = weights[2];
  local[i % 3][2] = pick(in.data, i);
  float *half = dynamic + N;
  half[threadIdx.x] = local[1][i % 5];
  __syncthreads();
  if (i <= in.n) out[i] = half[i] + grid[1][2];
}
template __global__ void tile<8>(float *, const Pair);

__global__ void count(int *bins, unsigned long n) {
  for (unsigned long k = threadIdx.x; k < n; k += blockDim.x) atomicAdd(&bins[table[k & 3]], 1);
  asm volatile("st.global.s32 [%0], %1;" :: "l"(bins), "r"(7) : "memory");
  float4 *v = reinterpret_cast<float4 *>(bins);
  float4 q = v[1];
  __stcs(reinterpret_cast<float *>(bins), q.y);
}

__global__ void cached(float4 *v, unsigned char *b, int *p, unsigned shared) {
  float4 q = __ldcs(v + threadIdx.x);
  b[1] = __ldcg(b);
  __stwt(v, q);
  int x;
  asm("ld.global.nc.s8 %0, [%1+4];" : "=r"(x) : "l"(p));
  asm volatile("st.shared.u32 [%0], %1;" :: "r"(shared), "r"(x));
}
