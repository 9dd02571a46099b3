//! The code `contents-unknown`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "contents-unknown",
    decides: "copy the value to a variable and check its range before it is an index (`if`, `assert`)",
    decides_named: Some(
        "check the range of what `{name}` holds before it is an index (`if`, `assert`), or give the check the source that writes it",
    ),
    page: r#"# contents-unknown: a value in memory is not known

The index, or a size, is a value from memory, and what the memory holds is not known: other code
wrote it, a file was read, a kernel wrote it in a way that is not followed, or other threads may
write it.

## Example

```cuda
__global__ void first(float *x, const int *at) { x[*at] = 1; }
extern "C" void library_fills(int *p);
int main() {
  int *at; float *x;
  cudaMallocManaged(&at, sizeof(int));
  cudaMalloc(&x, 64 * sizeof(float));
  library_fills(at);                // leaves any number there
  first<<<1, 1>>>(x, at);
  cudaDeviceSynchronize();
}
```

`library_fills` is defined in no source that was read, so that `*at` is any number.

## What decides it

A check of the value that is used, read once:

```cuda
__global__ void first(float *x, const int *at) { int i = *at; if (i >= 0 && i < 64) x[i] = 1; }
```

Or the source of what writes the memory.

In an operator of PyTorch the value is often an element of an index tensor. A check of the element
in the kernel decides it. So does one before the launch, if type and layout are checked before it:

```cuda
  TORCH_CHECK(idx.min().item<int64_t>() >= 0 && idx.max().item<int64_t>() < x.size(0));
```

Where callers keep to it, a `[[contract]]` of the operator says so:
`forall i in [0, idx.numel()): idx[i] >= 0 && idx[i] < x.size(0)`.
"#,
};
