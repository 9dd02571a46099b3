//! The rule `invalid-pointer`.

use super::{CompiledCheck, GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "invalid-pointer",
    level: Level::Deny,
    weakness: Weakness { cwe: &[476, 824], severity: "6.5" },
    reports: "an access through a pointer that is null, was never set, or leads to host memory",
    help: Help::Text("pass device memory as `{array}`"),
    confirmation: GpuConfirmation {
        check: Some(CompiledCheck::Memory),
        place: " of memory that is not the device's",
        ..GpuConfirmation::SANITIZER
    },
    page: r#"# invalid-pointer: pointer that is no device memory

A kernel dereferences, or a CUDA call is given, a pointer that is null or never was the address of
memory that the device can reach: a host array, a variable that was never set, an integer. A member
of a structure counts as well, in device memory or passed by value, that nothing has written by the
time a kernel reads it; so does an index that depends on a variable which was never set, and an
address that is a number of the program's text.

## Why it matters

On most systems the launch dies with `cudaErrorIllegalAddress` and the context with it. Pageable
host memory (`malloc`, `new`, a local array) works on a few systems with shared page tables and
crashes on all others; it is reported as a warning.

## Wrong

```cuda
float *d = nullptr;
if (use_gpu) cudaMalloc(&d, n * sizeof(float));
fill<<<blocks, 256>>>(d, n);            // also where use_gpu is false
```

## Right

```cuda
if (use_gpu) {
  float *d = nullptr;
  cudaMalloc(&d, n * sizeof(float));
  fill<<<blocks, 256>>>(d, n);
}
```

## Silencing

`// scuba: allow(invalid-pointer) reason` on the line or the line above, `[[allow]]` by path or
`invalid-pointer = "warn"` under `[levels]` in scuba.toml, `-A invalid-pointer` on the command line.
"#,
};
