// Rests on `invariants` in the lines that say so.
//@ toml: [entry]
//@ toml: functions = ["op_*"]
//@ toml: [[contract]]
//@ toml: type = "array"
//@ toml: invariant = ["elements(data) >= n"]
struct array { int n; int *data; };
__global__ void k(int *a, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) a[i] = 1;  //~
}
void op_k(array *x) {
  if (x->n > 0 && x->n < 1000) k<<<(x->n + 255) / 256, 256>>>(x->data, x->n);
}
