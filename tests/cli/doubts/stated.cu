// Rests on `stated` in the lines that say so.
//@ toml: [[assume]]
//@ toml: expr = "n <= 64"
//@ toml: function = "run"
__global__ void k() {
  __shared__ int s[64];
  s[threadIdx.x] = 1;  //~
}
void run(int n) { k<<<1, n>>>(); }
