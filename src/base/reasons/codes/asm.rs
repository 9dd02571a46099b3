//! The code `asm`.

use super::CodeInfo;

pub(super) const INFO: CodeInfo = CodeInfo {
    name: "asm",
    decides: "write the access in C++ or with an intrinsic, or run the program under Compute Sanitizer",
    decides_named: None,
    page: r#"# asm: inline assembly computes the address

The access is made by inline PTX, or through a pointer that inline PTX computes, in a form that is
not modelled. Single loads, stores, copies and address conversions are. `--strict` fails on such
accesses.

## Example

```cuda
__global__ void clear(float *x) {
  asm volatile("{ .reg .u64 p; .reg .u32 n; .reg .pred q; mov.u64 p, %0; mov.u32 n, 0;\n"
               "again: st.global.f32 [p], 0f00000000; add.u64 p, p, 4; add.u32 n, n, 1;\n"
               "setp.lt.u32 q, n, 64; @q bra again; }" ::"l"(x));
}
int main() {
  float *x;
  cudaMalloc(&x, 64 * sizeof(float));
  clear<<<1, 1>>>(x);
  cudaDeviceSynchronize();
}
```

Loops within assembly are not followed.

## What decides it

The same in C++, or with an intrinsic (`__ldg`, `cuda::memcpy_async`, `nvcuda::wmma`):

```cuda
  for (int n = 0; n < 64; ++n) x[n] = 0;
```
"#,
};
