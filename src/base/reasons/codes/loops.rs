//! The code `loop`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "loop",
    decides: "check the variable after the loop (`if`, `assert`)",
    decides_named: Some(
        "check `{name}` after the loop (`if`, `assert`)",
    ),
    page: r#"# loop: what a loop leaves behind is not known

Loops are summarised, not run: a variable gets its value after `k` iterations in closed form, or
bounds. The access depends on a variable that has neither.

## Example

```cuda
__global__ void clear(float *x, int n) { for (int i = 0; i < n; ++i) x[i] = 0; }
extern "C" unsigned next(unsigned);
int main() {
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  unsigned s = 7;
  int n = 0;
  for (int i = 0; i < 100; ++i) {
    s = next(s);
    n = s & 1 ? n + 3 : n ^ 5;   // no closed form
  }
  clear<<<1, 1>>>(x, n);
  cudaDeviceSynchronize();
}
```

How `n` changes depends on the numbers that `next` returns.

## What decides it

A check of the variable after the loop:

```cuda
  if (n > 64) return 1;
  clear<<<1, 1>>>(x, n);
```

A loop that is simpler also helps: one step for each variable, and a bound that the loop does not
change.
"#,
};
