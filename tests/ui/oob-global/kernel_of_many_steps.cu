//@ decided
// Loops of constant counts in a kernel that takes millions of steps where each round is executed by itself: what holds of
// every round is still known.
#include <cstdlib>

struct Vec { float x, y, z; };

__device__ void turn(Vec *v, const Vec *by) {
  if (v->x > by->x) v->y = by->z; else v->z = by->y;
  if (v->y > by->z) v->x = by->y; else v->y = by->x;
  if (v->z > by->y) v->z = by->x; else v->x = by->z;
}

__device__ void turns(Vec *v, const Vec *by) {
  turn(v, by); turn(v, by); turn(v, by); turn(v, by); turn(v, by); turn(v, by); turn(v, by); turn(v, by);
}

__global__ void trace(const Vec *in, float *out, int n) {
  int p = blockIdx.x * blockDim.x + threadIdx.x;
  if (p >= n) return;
  float sum = 0;
  unsigned r = p;
  for (int s = 0; s < n; s++)
      for (int i = 0; i < 32; i++)
        for (int j = 0; j < 32; j++) {
        Vec v = in[p];
        r ^= r >> 6;
        r ^= r << 17;
        v.x += r;
        turns(&v, in); turns(&v, in + p); turns(&v, in); turns(&v, in + p);
        sum += v.x;
      }
  out[p] = sum;
  out[p + 1] = sum;  //~ oob-global proved
}

int main(int argc, char **argv) {
  if (argc < 2) return 1;
  int n = atoi(argv[1]);
  if (n < 1) return 1;
  Vec *in;
  float *out;
  cudaMalloc(&in, n * sizeof(Vec));
  cudaMalloc(&out, n * sizeof(float));
  trace<<<(n + 255) / 256, 256>>>(in, out, n);
  return cudaDeviceSynchronize();
}
