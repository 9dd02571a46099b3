//@ snapshot
// Frees in functions of the program, of structures and of classes that are copied.
struct Buffers { float *in, *out; };

static void release(Buffers &b) {
  cudaFree(b.in);
  cudaFree(b.out); //~ double-free proved
}

struct Owner {
  float *data = nullptr;
  explicit Owner(int n) { cudaMalloc(&data, n * sizeof(float)); }
  ~Owner() { cudaFree(data); } //~ double-free proved
};

static void give(void *p) { if (p != nullptr) cudaFree(p); } //~ double-free proved

__global__ void scale(float *a, float by) { a[threadIdx.x] *= by; }

int main(int argc, char **) {
  Buffers b;
  cudaMalloc(&b.in, 32 * sizeof(float));
  b.out = b.in;
  if (argc > 1) cudaMalloc(&b.out, 32 * sizeof(float));
  scale<<<1, 32>>>(b.out, 2.0f);
  release(b);

  {
    Owner first(32);
    Owner second = first;
    scale<<<1, 32>>>(second.data, 2.0f);
  }

  float *c;
  cudaMalloc(&c, 32 * sizeof(float));
  give(c);
  give(c);
  return cudaDeviceSynchronize();
}
