//! The rule `misaligned`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "misaligned",
    level: Level::Warn,
    weakness: Weakness { cwe: &[704], severity: "4.3" },
    reports: "an access at an address that is not a multiple of its width",
    help: Help::Text("align the address: what is added to `{array}` must be a multiple of the width of the access"),
    confirmation: GpuConfirmation {
        not_alone: Some("its buffers may lie elsewhere than in the program"),
        ..GpuConfirmation::SANITIZER
    },
    page: r#"# misaligned: address that is no multiple of the access width

A load or store of 2, 4, 8 or 16 bytes goes to an address that is no multiple of that number. A
warning unless configured otherwise.

## Why it matters

GPUs do not split such an access: the kernel stops with `cudaErrorMisalignedAddress` and the context
is lost. It comes from casting pointers to `float4` or `double2` for speed, and from cutting byte
buffers into arrays of wider types; it depends on sizes, so that odd ones fail first.

## Wrong

```cuda
__global__ void add(float *row, int width) {
  // for odd widths every second row starts at a multiple of 4 only
  float4 *v = reinterpret_cast<float4 *>(row + blockIdx.x * width);
  v[threadIdx.x] = make_float4(0, 0, 0, 0);
}
```

Members that are accessed one by one (`v[i].x + v[i].y`) are *possible*: nvcc may make one wide
access of them, as the type's alignment allows. Memory that a caller gave is taken to begin at a
multiple of 16 bytes; rows and offsets in it are judged.

## Right

```cuda
cudaMallocPitch(&row, &pitch, width * sizeof(float), height);   // every row is aligned
...
float4 *v = reinterpret_cast<float4 *>((char *)row + blockIdx.x * pitch);
```

## Silencing

`// scuba: allow(misaligned) reason` on the line or the line above, `[[allow]]` by path or
`misaligned = "allow"` under `[levels]` in scuba.toml, `-A misaligned` on the command line. To let
it fail the build: `-D misaligned`.
"#,
};
