//@ decided
// What constructors of variables do before `main` counts, where all is well too.
struct Sizes {
  int n;
  Sizes();
};

static int by_object = 64, by_attribute = 64;
static int computed();
static int by_call = computed();
static Sizes sizes;

Sizes::Sizes() : n(32) { by_object = 32; }
static int computed() { return 32; }
__attribute__((constructor)) static void prepare() { by_attribute = 32; }

__global__ void of_object(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void of_member(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void of_attribute(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }
__global__ void of_call(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; }

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  of_object<<<1, 64>>>(a, by_object);
  of_member<<<1, 64>>>(a, sizes.n);
  of_attribute<<<1, 64>>>(a, by_attribute);
  of_call<<<1, 64>>>(a, by_call);
  return cudaDeviceSynchronize();
}
