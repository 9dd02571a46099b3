// What constructors of variables do before `main` counts.
struct Sizes {
  int n;
  Sizes();
};

static int by_object = 8, by_attribute = 8;
static int computed();
static int by_call = computed();
static Sizes sizes;

Sizes::Sizes() : n(64) { by_object = 64; }
static int computed() { return 64; }
__attribute__((constructor)) static void prepare() { by_attribute = 64; }

__global__ void of_object(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void of_member(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void of_attribute(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved
__global__ void of_call(int *a, int n) { if (threadIdx.x < n) a[threadIdx.x] = 1; } //~ oob-global proved

int main() {
  int *a;
  cudaMalloc(&a, 32 * sizeof(int));
  of_object<<<1, 64>>>(a, by_object);
  of_member<<<1, 64>>>(a, sizes.n);
  of_attribute<<<1, 64>>>(a, by_attribute);
  of_call<<<1, 64>>>(a, by_call);
  return cudaDeviceSynchronize();
}
