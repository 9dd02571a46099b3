// One allocation under many names: a global, an array of pointers, a pointer to a pointer, a reference, a result, a member of
// a class, a shared owner, a stream-ordered pool.
#include <memory>

static float *kept;

__global__ void scale(float *a) { a[threadIdx.x] *= 2; }

static float *make() { float *p; cudaMalloc(&p, 32 * sizeof(float)); return p; }
static void drop(float **p) { cudaFree(*p); }

class Field {
  float *values_;
public:
  Field() : values_(make()) {}
  void clear() { cudaFree(values_); }
  void run() const { scale<<<1, 32>>>(values_); } //~ use-after-free proved
};

int main() {
  kept = make();
  cudaFree(kept);
  scale<<<1, 32>>>(kept); //~ use-after-free proved

  float *of[2] = {make(), make()};
  drop(&of[1]);
  scale<<<1, 32>>>(of[0]);
  scale<<<1, 32>>>(of[1]); //~ use-after-free proved

  float *a = make(), *&same = a;
  cudaFree(same);
  cudaMemset(a, 0, 4); //~ use-after-free proved

  Field f;
  f.run();
  f.clear();
  f.run();

  float *pooled, *inside;
  cudaMemPool_t pool;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  cudaMallocFromPoolAsync((void **)&pooled, 64 * sizeof(float), pool, 0);
  inside = pooled + 32;
  cudaFreeAsync(pooled, 0);
  scale<<<1, 32>>>(inside); //~ use-after-free proved

  float *last;
  {
    std::shared_ptr<float> first(make(), [](float *p) { cudaFree(p); });
    std::shared_ptr<float> second = first;
    first.reset();
    scale<<<1, 32>>>(second.get());
    last = second.get();
  }
  scale<<<1, 32>>>(last); //~ use-after-free proved
  return cudaDeviceSynchronize();
}
