//! The code `call-unknown`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "call-unknown",
    decides: "give the check the source of the function, or check its result (`if`, `assert`)",
    decides_named: Some(
        "give the check the source of `{name}`, or check its result (`if`, `assert`)",
    ),
    page: r#"# call-unknown: what a function does is not known

The access depends on a function without a body here and without a model: its result, or what it
writes. Functions that call themselves too deeply count, too.

## Example

```cuda
__global__ void clear(float *x, int n) { for (int i = 0; i < n; ++i) x[i] = 0; }
extern "C" int size_of_problem();   // defined in no source that is checked
int main() {
  float *x;
  cudaMalloc(&x, 1024);
  clear<<<1, 1>>>(x, size_of_problem());
  cudaDeviceSynchronize();
}
```

`size_of_problem()` may return anything.

## What decides it

The source that defines the function, as one more file of the check. Or a check of its result:

```cuda
  int n = size_of_problem();
  if (n > 256) return 1;
  clear<<<1, 1>>>(x, n);
```

docs/models.md lists the library functions that have a model.
"#,
};
