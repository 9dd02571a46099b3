//! The rule `double-free`.

use super::{GpuConfirmation, Help, Level, RuleInfo, Weakness};

pub(super) const INFO: RuleInfo = RuleInfo {
    name: "double-free",
    level: Level::Deny,
    weakness: Weakness { cwe: &[415], severity: "7.5" },
    reports: "a second free of device memory",
    help: Help::Text("free `{array}` once, and set the pointer to null"),
    confirmation: GpuConfirmation { refused: true, ..GpuConfirmation::SANITIZER },
    page: r#"# double-free: device memory freed twice

The same allocation reaches `cudaFree` (or a relative) a second time.

## Why it matters

The second call fails with `cudaErrorInvalidValue`, which the next unrelated error check reports; or
the address has been handed out again, and another array disappears under its owner.

## Wrong

```cuda
void release(Buffers &b) { cudaFree(b.in); cudaFree(b.out); }
...
if (in_place) b.out = b.in;
release(b);                            // one allocation, freed twice
```

## Right

```cuda
void release(Buffers &b) {
  cudaFree(b.in);
  if (b.out != b.in) cudaFree(b.out);
  b.in = b.out = nullptr;              // freeing a null pointer does nothing
}
```

## Silencing

`// scuba: allow(double-free) reason` on the line of the call or the line above, `[[allow]]` by
path or `double-free = "warn"` under `[levels]` in scuba.toml, `-A double-free` on the command line.
"#,
};
