// Nothing rests on `contracts`.
//@ toml: [entry]
//@ toml: functions = ["run"]
//@ toml: [[contract]]
//@ toml: function = "run"
//@ toml: requires = ["elements(a) >= 64"]
__global__ void k(int *a) {
  __shared__ int s[64];
  s[threadIdx.x] = 1;
}
void run(int *a) { k<<<1, 64>>>(a); }
