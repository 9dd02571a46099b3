// Nothing rests on `stated`.
//@ toml: [[assume]]
//@ toml: expr = "n <= 64"
//@ toml: function = "run"
__global__ void k() {
  __shared__ int s[1024];
  s[threadIdx.x] = 1;
}
void run(int n) { k<<<1, n>>>(); }
