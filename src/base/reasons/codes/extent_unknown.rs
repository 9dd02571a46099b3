//! The code `extent-unknown`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "extent-unknown",
    decides: "allocate the memory in code that is read, or state its size in a `[[contract]]`: `elements(x) >= n`",
    decides_named: None,
    page: r#"# extent-unknown: the size of the memory is not known

The access goes through a pointer, and nothing that was read says how much memory lies behind it: a
function without known callers received it, or it was computed from an integer.

## Example

```cuda
__global__ void clear(float *x, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) x[i] = 0;
}
void clear_all(float *x, int n) {   // nothing here calls it: how long is x?
  clear<<<(n + 255) / 256, 256>>>(x, n);
}
```

How long `x` is, only the callers of `clear_all` know.

## What decides it

`scuba contracts FILE` says what callers owe. A contract states it, and SCuBA then checks the
function against it and every caller that it reads:

```toml
[[contract]]
function = "clear_all"
requires = ["elements(x) >= n"]
```

Or check the program that calls it, with all of its sources.
"#,
};
