// Rests on `sides-apart` in the lines that say so.
//@ toml: [entry]
//@ toml: functions = ["run"]
struct shape {
  int n;
};
__global__ void k(int *a) {
  a[threadIdx.x] = 1;  //~
}
__global__ void clear(int *d) {
  d[0] = 0;
}
void run(shape *s, int *d) {
  if (s->n < 1 || s->n > 1024) return;
  int *a;
  if (cudaMalloc(&a, 4 * s->n) != cudaSuccess) return;
  clear<<<1, 1>>>(d);
  k<<<1, s->n>>>(a);
}
