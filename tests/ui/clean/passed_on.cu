//@ decided
// Six buffers in two rings: each round every object has the pointers of its neighbour.
#include <cstdlib>

__global__ void step(const float *a, const float *b, float *c, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) c[i] = a[i] + b[i];
}

struct Vector {
  float *re, *im;
  explicit Vector(int n) {
    cudaMalloc(&re, n * sizeof(float));
    cudaMalloc(&im, n * sizeof(float));
  }
  ~Vector() {
    cudaFree(re);
    cudaFree(im);
  }
  void swap(Vector &o) {
    float *r = re, *i = im;
    re = o.re;
    im = o.im;
    o.re = r;
    o.im = i;
  }
};

static void evolve(int n, int rounds) {
  Vector a(n), b(n), c(n), d(n), e(n), f(n);
  for (int m = 2; m <= rounds; ++m) {
    step<<<(n + 127) / 128, 128>>>(a.re, b.re, c.re, n);
    step<<<(n + 127) / 128, 128>>>(d.im, e.im, f.im, n);
    a.swap(b);
    b.swap(c);
    d.swap(e);
    e.swap(f);
  }
}

int main(int argc, char **argv) {
  if (argc < 3) return 1;
  int n = atoi(argv[1]);
  if (n < 1 || n > 1 << 20) return 1;
  evolve(n, atoi(argv[2]));
}
