// Functions that nobody known calls may be called again, and after others that set what they use.
//@ undecided: 5
__global__ void set_before(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void set_after(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void kept(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void not_first(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void through(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

static int by_others = 8, by_itself = 8, by_address = 8;

void set(int n) { by_others = n; }
int *address() { return &by_address; }

void run() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  set_before<<<1, 64>>>(a, by_others);
  set_after<<<1, 64>>>(a, by_itself);
  by_itself = 64;
  static int n = 8;
  kept<<<1, 64>>>(a, n);
  n *= 8;
  static bool first = true;
  int m = 8;
  if (!first) m = 64;
  first = false;
  not_first<<<1, 64>>>(a, m);
  through<<<1, 64>>>(a, by_address);
  cudaFree(a);
}
