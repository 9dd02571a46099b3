//! The code `other`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "other",
    decides: "check the index before the access (`if`, `assert`), or run the program under Compute Sanitizer",
    decides_named: None,
    page: r#"# other: something else is not known

The reason says what is not known. Common ones are comparisons of addresses, the status that a call
returns, random numbers, and values that are read as another type than they were written.

## Example

```cuda
__global__ void fill(int *x, int n) { if (threadIdx.x < n) x[threadIdx.x] = 1; }
int main() {
  int *a, *b;
  cudaMalloc(&a, 64 * sizeof(int));
  int *old = a;
  cudaFree(a);
  cudaMalloc(&b, 64 * sizeof(int));
  fill<<<1, 128>>>(b, old == b ? 128 : 64);   // does b lie where a was?
  cudaDeviceSynchronize();
}
```

Where memory lies, the driver decides.

## What decides it

A check that needs nothing of this:

```cuda
__global__ void fill(int *x, int n) { if (threadIdx.x < n && threadIdx.x < 64) x[threadIdx.x] = 1; }
```
"#,
};
