//@ snapshot
// A kernel is launched with what was freed, under its own name and under another.
struct Pair { int *first, *second; };

__global__ void fill(int *a) { a[threadIdx.x] = 1; }
__global__ void add(Pair p) { p.first[threadIdx.x] += p.second[threadIdx.x]; }
__global__ void maybe(int *a, int go) { if (go) a[threadIdx.x] = 1; }

int main() {
  int *a, *b, *c;
  cudaMalloc(&a, 32 * sizeof(int));
  cudaMalloc(&b, 32 * sizeof(int));
  cudaMalloc(&c, 32 * sizeof(int));
  int *same = a;
  Pair p = {b, c};
  cudaFree(a);
  fill<<<1, 32>>>(a); //~ use-after-free proved
  fill<<<1, 32>>>(same); //~ use-after-free proved
  add<<<1, 32>>>(p);
  cudaFree(c);
  add<<<1, 32>>>(p); //~ use-after-free proved
  maybe<<<1, 32>>>(a, 0);
  cudaFree(b);
  return cudaDeviceSynchronize();
}
