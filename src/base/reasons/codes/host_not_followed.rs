//! The code `host-not-followed`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "host-not-followed",
    decides: "launch the kernel in code that is read, or check its indices in the kernel",
    decides_named: Some(
        "the host code was left at `{name}`: give the check its source, or launch the kernel in code that is read",
    ),
    page: r#"# host-not-followed: the host code was not followed to its end

The host code is followed from `main` to each launch. It was left where the program does something
that is not followed, and launches may come after that point: no access of a kernel is called safe
for launches that were not seen.

## Example

```cuda
__global__ void clear(float *x) { x[threadIdx.x] = 0; }
extern "C" void library_launches(void (*kernel)(float *), float *x);
int main() {
  float *x;
  cudaMalloc(&x, 32 * sizeof(float));
  library_launches(clear, x);       // how many threads?
  cudaDeviceSynchronize();
}
```

`library_launches` is defined in no source that was read, and launches the kernel with as many
threads as it likes.

## What decides it

The reason names the call. Its source, as one more file of the check, decides it; or a launch that
is seen:

```cuda
  clear<<<1, 32>>>(x);
```

`scuba contracts FILE` says what any launch owes.
"#,
};
