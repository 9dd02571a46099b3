// Nothing rests on `types-apart`.
//@ toml: [entry]
//@ toml: functions = ["run"]
struct shape {
  int n;
};
__global__ void k(int *a) {
  a[threadIdx.x] = 1;
}
void run(shape *s, float *x) {
  if (s->n < 1 || s->n > 1024) return;
  int m = s->n;
  int *a;
  if (cudaMalloc(&a, 4 * m) != cudaSuccess) return;
  x[0] = 1.0f;
  k<<<1, m>>>(a);
}
