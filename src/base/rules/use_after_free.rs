//! The rule `use-after-free`.

use super::{CompiledCheck, GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "use-after-free",
    level: Level::Deny,
    weakness: Weakness { cwe: &[416], severity: "8.1" },
    reports: "a use of device memory after it was freed",
    help: Help::Text("free `{array}` after its last use"),
    confirmation: GpuConfirmation {
        arguments: true,
        check: Some(CompiledCheck::Memory),
        place: " of memory that was freed",
        ..GpuConfirmation::SANITIZER
    },
    page: r#"# use-after-free: device memory used after it was freed

A kernel is launched with, or a copy is made through, a pointer whose allocation has been freed.

## Why it matters

Freed device memory goes back to a pool and is handed out again at once. The kernel then reads or
overwrites what the new owner keeps there, without any error; with `cudaFreeAsync` it depends on
how the streams happen to be ordered.

## Wrong

```cuda
cudaMalloc(&a, bytes);
first<<<grid, block>>>(a, n);
cudaFree(a);
if (verify) second<<<grid, block>>>(a, n);
```

## Right

```cuda
cudaMalloc(&a, bytes);
first<<<grid, block>>>(a, n);
if (verify) second<<<grid, block>>>(a, n);
cudaFree(a);
```

A finding points at the launch or the call that uses the pointer.

## Silencing

`// scuba: allow(use-after-free) reason` on that line or the line above, `[[allow]]` by path or
`use-after-free = "warn"` under `[levels]` in scuba.toml, `-A use-after-free` on the command line.
"#,
};
