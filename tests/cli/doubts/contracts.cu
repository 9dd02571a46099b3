// Rests on `contracts` in the lines that say so.
//@ toml: [entry]
//@ toml: functions = ["run"]
//@ toml: [[contract]]
//@ toml: function = "run"
//@ toml: requires = ["elements(a) >= 64"]
__global__ void k(int *a) {
  a[threadIdx.x] = 1;  //~
}
void run(int *a) { k<<<1, 64>>>(a); }
